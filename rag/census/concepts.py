"""Concepts and their names: other phrases and acronyms for one thing, from a table of the field and from the library.

The table is directional: what stands after the colon counts as a sighting of what stands before it, not the reverse.
Upper-case entries are acronyms and match as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.text.words import NUMBER_WORDS, STOPWORDS, fold, stem

_TABLE = """
reinforcement learning: RL, MARL, RLHF, RLVR, RLAIF, PPO, GRPO, TRPO, DQN, policy gradient, policy optimization,
    actor critic, q learning, reward shaping, deep q network, REINFORCE, off policy evaluation
policy optimization: PPO, GRPO, TRPO
preference optimization: DPO
knowledge distillation: KD, distillation, teacher student, student model, teacher model
distillation: KD, teacher student
language model: LLM, MLLM, GPT, BERT, SLM, PLM
large language model: LLM, MLLM, MoE-LLM, GPT, chatgpt, llama
multimodal large language model: MLLM, LMM, large multimodal model
vision language model: VLM, LVLM
vision language action: VLA
vision: image, visual, video, picture, pixel, MLLM, VLM, LVLM, multimodal large language model, computer vision,
    imagenet
image: visual, picture, photo, pixel, imagenet
video: VQA
audio: sound, acoustic, speech, music
speech: spoken, ASR, TTS, text to speech, voice
music: musical, song, melody
robot: robotics, humanoid, VLA, vision language action, gripper, dexterous, embodied agent
robot manipulation: VLA, vision language action, robotic arm, grasp, dual arm
graph neural network: GNN, GCN, GAT, graph convolution, graph attention, graph network, message passing network
diffusion model: DDPM, DDIM, denoising diffusion, score based generative, latent diffusion, stable diffusion,
    diffusion process, diffusion policy, diffusion transformer, diffusion based
diffusion: DDPM, DDIM
generative adversarial network: GAN, WGAN
adversarial attack: adversarial example, adversarial perturbation, adversarial robustness, adversarial training
adversarial robustness: adversarial example, adversarial attack, adversarial perturbation, robust to adversarial
variational autoencoder: VAE, variational auto encoder
convolutional network: CNN, convnet, convolutional neural network, convolution
recurrent network: RNN, LSTM, GRU, recurrent neural network
transformer: self attention
mixture expert: MoE
federated learning: FL, federated, fedavg
continual learning: lifelong learning, catastrophic forgetting, incremental learning, continually learn
meta learning: meta learner, meta learn, learning to learn, MAML
few shot learning: few shot, one shot learning
transfer learning: domain adaptation, transfer knowledge
domain adaptation: domain shift, domain generalization
self supervised learning: SSL, self supervision, self supervised, contrastive learning
contrastive learning: contrastive loss, contrastive objective
semi supervised learning: semi supervised
imitation learning: behavior cloning, behavioral cloning, learning from demonstration, expert demonstration,
    inverse reinforcement learning
privacy: DP, private, differential privacy, membership inference, privacy preserving
differential privacy: DP, differentially private
fairness: fair, unfair, demographic parity, equalized odds, discrimination against
interpretability: interpretable, explainable, explainability, explanation, saliency
explainability: explainable, explanation, interpretability, interpretable
machine translation: NMT, neural translation, translation quality, translation model
question answering: QA, VQA
summarization: summarize, summary generation
recommendation: recommender, collaborative filtering
causal inference: causal effect, treatment effect, causality, counterfactual
causal discovery: causal graph, causal structure
bayesian: posterior, bayes
bayesian optimization: BO
gaussian process: GP
optimal transport: OT, wasserstein, sinkhorn
bandit: multi armed bandit
medical: clinical, medicine, patient, healthcare, biomedical, radiology, MRI, disease, diagnosis
medical imaging: radiology, MRI, CT scan, medical image
hallucination: hallucinate
retrieval augmented generation: RAG
in context learning: ICL
chain thought: CoT
supervised fine tuning: SFT
fine tuning: finetune, fine tune, LoRA
parameter efficient fine tuning: PEFT, LoRA, adapter
quantization: quantize, low bit, mixed precision
pruning: prune, sparsify
model compression: compression, quantization, pruning, distillation
code generation: program synthesis, generate code, code LLM
jailbreak: red teaming, jailbreaking
safety: unsafe, jailbreak, harmful
multilingual: cross lingual, multi lingual, low resource language
low resource language: under resourced, low resource, endangered language, underrepresented language
time series: temporal forecasting
tabular data: tabular
point cloud: lidar
out of distribution: OOD
super resolution: SR
human evaluation: human evaluator, human judge, human rating, human study, human annotator
annotation: annotator
agent: multi agent
attention: self attention
quadratic: n 2
cost: complexity, computation, compute, expensive, overhead, explosion
experiment: empirical, empirically, evaluate, evaluation, benchmark, dataset, data set, ablation, outperform,
    state of the art, accuracy, simulation, case study, user study
natural language processing: NLP
natural language inference: NLI, textual entailment
named entity recognition: NER
object detection: object detector
neural architecture search: NAS, architecture search
markov chain monte carlo: MCMC, langevin
stochastic gradient descent: SGD
hate speech: toxic, toxicity, offensive language, abusive language
misinformation: fake news, disinformation, fact checking
healthcare: medical, clinical, patient
"""

_HYPHEN = re.compile(r"[-‐‑–—/\s]+")
_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_DEFINITION = re.compile(r"\s\(([A-Z][A-Za-z]{0,8}[A-Z])s?\)")
_BEFORE = 90  # characters in front of a bracket that its long form may take


_OPTIMUM = re.compile(r"optim(?:al(?:ly|ity)?|um|a)")
_BRITISH = re.compile(r"is(e[sd]?|ing|ations?|ers?)$")
_SHORTEST_BRITISH = 6  # letters of a word that is no "noise" or "raise"
_EMPTY = STOPWORDS - {"out"}  # without it, "out of distribution" would be any distribution


@lru_cache(maxsize=200_000)
def root(word: str) -> str:
    """Return the stem by which census words are compared; British and American spellings share one."""
    base = word.removesuffix("'s")
    if _OPTIMUM.fullmatch(base):
        return "optimal"  # not optimization, though the stemmer makes them one
    # Before stemming: "optimize" loses all of its ending, "optimise" only a letter.
    stemmed = stem(_BRITISH.sub(r"iz\1", base) if len(base) > _SHORTEST_BRITISH else base)
    return f"{stemmed[:-2]}iz" if len(stemmed) >= 6 and stemmed.endswith("is") else stemmed


def roots(text: str) -> tuple[str, ...]:
    """Return the stems of all words of a text that are not stop words."""
    return tuple(root(w) for w in _WORD.findall(fold(text)) if w not in _EMPTY)


_DISTILLATION = roots("distillation")
# Words that everyday language uses too: seen alone, they count only in a sentence that speaks of the field's sense.
_SENSES = {
    _DISTILLATION: re.compile(
        r"^(?!.*\bdistill?(?:s|ed|ing)? (?:this|these|our|down|key|the (?:literature|lessons|stud)))"
        r"(?=.*\b(?:teachers?|students?|models?|networks?|LLMs?|LMs?|MLLMs?|VLMs?|knowledge|polic(?:y|ies)"
        r"|ensembles?|KD"
        r"|(?<!data )(?<!dataset )(?<!prompt )distillation|BERT|GPT|encoders?|classifiers?|agents?)\b)",
        re.IGNORECASE | re.DOTALL,
    ),
    **dict.fromkeys(
        (roots("teacher student"), roots("student model"), roots("teacher model")),
        re.compile(
            r"distill|knowledge|mimic|compress|transfer|logits|soft[- ](?:label|target)|lightweight|small",
            re.IGNORECASE,
        ),
    ),
}
_OTHER_THINGS = re.compile(
    r"\b(?:data ?set|data|prompt|graph|corpus|score)[- ]distill|\bdistilled scores?\b"
    r"|\bdistill\w* (?:data ?sets?)\b|\bR1[- ]distill"
    r"|\bdefensive (?:\w+ )?distill|\bfeature[- ]distill|\b(?:defen[sc]e|robust)\w*\b.*\bdistill",
    re.IGNORECASE,
)
_NAMED_OTHERS = re.compile(r"\b(?:data ?set|data|prompt|graph|corpus|score)[- ]distill", re.IGNORECASE)
_THE_THING = re.compile(r"\b(?:knowledge|model|policy|self)[- ]distill|\bteachers?\b|\bstudents?\b", re.IGNORECASE)


def in_its_sense(phrase: tuple[str, ...], sentence: str, abstract: str) -> bool:
    """Tell whether a phrase that everyday language uses too stands in a sentence that means the field's.

    What an abstract once calls score distillation stays that in its other sentences.
    """
    sense = _SENSES.get(phrase)
    if sense is None:
        return True
    if phrase == _DISTILLATION and _THE_THING.search(sentence):
        return True
    if sense.search(sentence) is None or _OTHER_THINGS.search(sentence):
        return False
    return _NAMED_OTHERS.search(abstract) is None or _THE_THING.search(abstract) is not None


@dataclass(frozen=True, slots=True)
class Forms:
    """What counts as a sighting of one noun phrase: its own stems, other phrases, acronyms as a pattern of raw text.

    The words of the phrase itself may stand apart ("generation of sharp images"); other phrases stand as they are,
    or "an optimal policy" would pass for policy optimization.
    """

    phrase: tuple[str, ...]
    others: tuple[tuple[str, ...], ...]
    acronyms: re.Pattern[str] | None
    typed: str = ""  # the acronym that the question itself uses


def _table() -> dict[tuple[str, ...], tuple[str, ...]]:
    rows = (line.split(":") for line in _TABLE.replace("\n    ", " ").strip().splitlines())
    return {roots(name): tuple(form.strip() for form in forms.split(",")) for name, forms in rows}


_FORMS = _table()
_LONG = {form: name for name, forms in _FORMS.items() for form in forms[:1] if form.isupper() and len(form) >= 2}


_SHORT = {
    name: tuple(form for form in forms if form.isupper() and len(form) >= 2)[:1] for name, forms in _FORMS.items()
}
_NUMBERS = {root(w): (v,) for w, v in NUMBER_WORDS.items()} | {v: (root(w),) for w, v in NUMBER_WORDS.items()}
_LONGEST_DEED = 3  # words of a verb and its thing


@lru_cache(maxsize=65_536)
def definitions(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the acronyms that a text defines and the stems of what they stand for."""
    brackets = ((m[1], text[max(0, m.start() - _BEFORE) : m.start()]) for m in _DEFINITION.finditer(text))
    found = ((acronym, _long_form(before, acronym)) for acronym, before in brackets)
    return tuple((acronym, long) for acronym, long in found if long)


class Vocabulary:
    """The acronyms that a library defines ("graph attention network (GAT)"), for looking up both ways."""

    def __init__(self, texts: Iterable[str]) -> None:
        counts: dict[str, dict[tuple[str, ...], int]] = {}
        for text in texts:
            for acronym, long in definitions(text):
                forms = counts.setdefault(acronym, {})
                forms[long] = forms.get(long, 0) + 1
        self._long = {a: max(forms.items(), key=lambda item: (item[1], item[0]))[0] for a, forms in counts.items()}
        self._sure = {a for a, forms in counts.items() if max(forms.values()) * 2 > sum(forms.values())}
        self._short: dict[tuple[str, ...], list[str]] = {}
        for acronym, long in sorted(self._long.items()):
            if acronym in self._sure:
                self._short.setdefault(long, []).append(acronym)

    def acronyms(self, phrase: tuple[str, ...]) -> Sequence[str]:
        """Return the acronyms that mean a phrase throughout the library."""
        return self._short.get(phrase, ())

    def meaning(self, acronym: str) -> tuple[str, ...] | None:
        """Return the phrase that an acronym stands for, from the field's table, else from the library."""
        return _LONG.get(acronym) or (self._long.get(acronym) if acronym in self._sure else None)


def _long_form(before: str, acronym: str) -> tuple[str, ...] | None:
    """Return the stems of the last words before a bracket whose initials are the acronym, or None."""
    words = _WORD.findall(before)[-7:]
    letters = acronym.casefold()
    for length in range(len(words), 0, -1):
        tail = words[-length:]
        initials = "".join(w[0].casefold() for w in tail if w.casefold() not in STOPWORDS)
        everything = "".join(w[0].casefold() for w in tail)
        if letters in (initials, everything) and len(letters) >= 2:
            return roots(" ".join(tail))
    return None


def is_acronym(word: str) -> bool:
    """Tell whether a word is written as an acronym or a name with inner capitals: RL, MLLMs, PyTorch, GPT-4."""
    return re.fullmatch(r"(?=(?:.*[A-Z]){2})[A-Za-z][\w+.-]*s?", word) is not None


_MIXED = re.compile(r"[a-z]{3,}")


def acronym_pattern(names: Iterable[str]) -> str:
    """Return the pattern of acronyms and names as written: with a plural, or a version behind ("Qwen2.5")."""
    choices = []
    for name in dict.fromkeys(names):
        bare = name[:-1] if re.fullmatch(r"[A-Z]{2,}s", name) else name
        version = r"(?:[-\s]?v?\d[\w.]*)?" if not bare[-1].isdigit() else ""
        # Names that end in small letters are written in more than one way: ALFWorld, AlfWorld.
        choices.append(f"(?i:{re.escape(bare)}){version}" if _MIXED.search(bare) else re.escape(bare) + version)
    return rf"(?<![A-Za-z0-9])(?:{'|'.join(choices)})s?(?![A-Za-z0-9])"


@lru_cache(maxsize=4096)
def _forms(
    words: tuple[str, ...],
    short: tuple[str, ...],
    meaning: tuple[str, ...] | None,
    more: tuple[tuple[str, ...], ...],
) -> Forms:
    phrase, names, typed = roots(" ".join(words)), list(short), ""
    if len(words) == 1 and is_acronym(words[0]):
        typed = words[0]
        names.append(typed)
        phrase = meaning or ()
    table = _FORMS.get(phrase or roots(" ".join(words)), ())
    names += [form for form in table if is_acronym(form)]
    others = tuple(dict.fromkeys((*(r for form in table if not is_acronym(form) and (r := roots(form))), *more)))
    return Forms(phrase, others, re.compile(acronym_pattern(names)) if names else None, typed)


def forms_of(words: tuple[str, ...], vocabulary: Vocabulary, deed: bool = False) -> Forms:
    """Return what counts as a sighting of a noun phrase in this library; of a deed also its thing before its verb."""
    words = tuple(part for word in words for part in ([word] if is_acronym(word) else _HYPHEN.split(word)) if part)
    acronym = words[0].removesuffix("s") if len(words) == 1 and is_acronym(words[0]) else ""
    meaning = vocabulary.meaning(acronym) if acronym else None
    short = vocabulary.acronyms(meaning or roots(" ".join(words)))
    more = () if acronym else _said_otherwise(words, vocabulary, deed)
    return _forms((acronym,) if acronym else words, tuple(short), meaning, more)


def _said_otherwise(words: tuple[str, ...], vocabulary: Vocabulary, deed: bool) -> tuple[tuple[str, ...], ...]:
    """Return a phrase turned round where it is a deed, and with its acronyms spelt out ("offline RL") or made."""
    if len(words) == 1:
        return ()
    found = []
    if deed and len(words) <= _LONGEST_DEED:
        found.append(roots(" ".join((*words[1:], words[0]))))
    spelt = [vocabulary.meaning(w.removesuffix("s")) if is_acronym(w) else None for w in words]
    if any(spelt):
        found.append(tuple(r for w, long in zip(words, spelt, strict=True) for r in (long or roots(w))))
    whole = roots(" ".join(words))
    for start in range(len(words) - 1):
        # "Offline reinforcement learning" is offline RL too.
        long = roots(" ".join(words[start:]))
        if start and len(long) > 1:
            found += [(*whole[: -len(long)], *roots(short)) for short in _SHORT.get(long, ())]
    return tuple(found)


def alternatives(word: str) -> frozenset[str]:
    """Return the single stems that may stand in for a stem inside a longer phrase, itself included."""
    # An acronym counts only as it is written: "O(Kd)" is no knowledge distillation.
    forms = (form for form in _FORMS.get((word,), ()) if not is_acronym(form))
    return frozenset({word, *_NUMBERS.get(word, ()), *(r[0] for form in forms if len(r := roots(form)) == 1)})


@lru_cache(maxsize=65_536)
def prefix(word: str) -> str:
    """Return letters that every word with this stem starts with: a text without them can't hold it."""
    if not word.isalpha():
        return word
    if len(word) > 5 and word.endswith("iz"):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word[-1] in "eiy" else word
