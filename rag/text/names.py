"""Coined names in a text: what a field calls its methods, datasets and benchmarks.

A coined word has an inner capital, two capitals, or letters with digits ("AutoTool", "GEMQ", "T3", "UI2Code"); parts
joined by hyphens are one name ("PBS-Attn", "4K-VBench"). Capitalised words that a bracket abbreviates are one as well
("Deliberate Evolution (DE)").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rag.text.words import fold

_WORD = re.compile(r"[^\W_]+(?:[-‐‑–][^\W_]+)*\*?")
_TITLE_CASE = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]+(?:[- ](?:[A-Z][a-z]+|of|for|via|and))*[- ][A-Z][a-z]+\b")
# "4GB" and "2.4GHz" are quantities; "7B" and "4K" are what models and images are called by.
_QUANTITY = re.compile(r"\d+(?:[.,]\d+)?(?:[KMGTP]i?B|[KMG]?bps|[kMGT]?Hz|d[Bb]|[kMGT]?Wh?|mAh|[kMG]?eV|[kMGT]?FLOPS?)")


@dataclass(frozen=True, slots=True)
class Name:
    """A coined name and where it stands."""

    text: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """Return the name as names are compared."""
        return name_key(self.text)


def name_key(text: str) -> str:
    """Return a name without case, hyphens, spaces, marks and the plural of an acronym: "PBS-Attn" is "pbs attn"."""
    text = re.sub(r"(?<=[A-Z]{2})s\b", "", text)
    return re.sub(r"[\W_]+", "", fold(text))


@lru_cache(maxsize=65536)
def is_coined(word: str) -> bool:
    """Tell whether a word looks made up for a thing rather than taken from the dictionary."""
    if word == word.lower():
        return False
    word = word.strip("()[]{}“”\"'‘’,.;:!?")
    letters = [c for c in word if c.isalpha()]
    if not letters or not _WORD.fullmatch(word) or _QUANTITY.fullmatch(word):
        return False
    capitals = sum(c.isupper() for c in letters)
    if len(letters) == 1 and len(word) == 1:
        return False
    plural_acronym = re.fullmatch(r"[A-Z]{2,}s?", word) is not None
    inner = any(
        sum(c.isupper() for c in part) >= 2 or any(c.isupper() for c in part[1:]) for part in re.split(r"[-‐‑–]", word)
    )
    digits = any(c.isdigit() for c in word) and capitals >= 1
    starred = word.endswith("*") and capitals >= 1
    return plural_acronym or inner or digits or starred


def coined_names(text: str) -> list[Name]:
    """Return the coined names of a text in order, hyphenated parts as one, repetitions included."""
    found: list[Name] = []
    for match in _WORD.finditer(text):
        word = match.group()
        if not word.islower() and is_coined(word) and not _in_address(text, match.start()):
            found.append(Name(word, match.start(), match.end()))
    return found


def long_names(text: str) -> list[Name]:
    """Return runs of capitalised words inside sentences: "Golden Partition Zone", "Neural Vortex"."""
    return [Name(m.group(), m.start(), m.end()) for m in _TITLE_CASE.finditer(text) if not _in_address(text, m.start())]


_TITLE_WORDS = 7


def title_names(title: str) -> list[str]:
    """Return what people may call a paper by its title: what stands before the colon or "?", and the whole, where short."""
    head = re.split(r"[:?!]", title, maxsplit=1)[0].strip()
    found = [re.sub(r"^(?:the|an?)\s+", "", part, flags=re.IGNORECASE) for part in dict.fromkeys((head, title.strip()))]
    return [part for part in found if 2 <= len(part.split()) <= _TITLE_WORDS]


# Acronyms that every reader of the field knows, and papers spell out or not as they like.
FIELD_ACRONYMS = {
    "ai": "artificial intelligence", "asr": "speech recognition", "cnn": "convolutional network", "cot": "chain thought",
    "cv": "computer vision", "dnn": "neural network", "dp": "differential privacy", "fl": "federated learning",
    "gan": "generative adversarial", "gnn": "graph neural network", "gpu": "gpu", "kd": "knowledge distillation",
    "llm": "language model", "lm": "language model", "lvlm": "vision language model", "mae": "masked autoencoder",
    "ml": "machine learning", "mllm": "multimodal language model", "moe": "mixture experts", "mt": "machine translation",
    "ner": "entity recognition", "nlp": "language processing", "nlu": "language understanding", "nn": "neural network",
    "ocr": "character recognition", "ood": "out distribution", "qa": "question answering", "rag": "retrieval augmented",
    "rct": "randomized trial", "rl": "reinforcement learning", "rnn": "recurrent network", "sde": "stochastic differential",
    "sft": "supervised fine", "sgd": "gradient descent", "sota": "state art", "ssl": "self supervised", "tts": "speech synthesis",
    "ui": "interface", "vae": "variational autoencoder", "vit": "vision transformer", "vla": "vision language action",
    "vlm": "vision language model", "vqa": "visual question answering", "xai": "explain",
}  # fmt: skip


def spelt_out(acronym: str) -> str:
    """Return what a common acronym of the field stands for, plural or compound ("LLM-based") too; "" if it is none."""
    key = fold(re.split(r"[-‐‑–]", acronym)[0])
    return FIELD_ACRONYMS.get(key) or FIELD_ACRONYMS.get(key.removesuffix("s"), "")


_INTRODUCED = (
    r"(?:introduc\w*|propos\w*|present\w*|develop\w*|releas\w*|term(?:ed)?|call(?:ed)?|dubbed|named|instantiat\w* \w+ \w+ in|design\w*|"
    r"describ\w*|build|employs?|refer to (?:this|it|our \w+) as|is)"
)
# The patterns are compiled once: in the text that they read, this sign stands for the name.
_HERE = "\x01"
_IN_TITLE = re.compile(rf"(?<![\w-]){_HERE}(?![\w-])")
_INTRODUCES = re.compile(
    rf"\b(?:we|this (?:paper|work)|our \w+)\b[^.;]{{0,60}}?\b{_INTRODUCED}\b[^.;]{{0,120}}?(?<![\w-]){_HERE}(?![\w-])"
)
_SUBJECT = re.compile(rf"(?:^|[.!?]\s+(?:[A-Z]\w+,\s+)?){_HERE}\s+(?:\(|is\b|[a-z]+s\b)")
_SPELT_OUT = re.compile(rf"(?<![\w-]){_HERE}\s+\([a-z][^)]{{8,}}\)")


def owns(name: str, title: str, abstract: str) -> bool:
    """Tell whether a paper uses a name as its own: in its title, where it introduces or spells it out, or as a subject.

    A name that is only compared with ("half of TARNLEX's parameters") belongs to another paper.
    """
    if re.search(r"[A-Z]s$", name):
        return False  # "VLMs" are a kind of thing
    if _IN_TITLE.search(title.replace(name, _HERE)):
        return True
    text = abstract.replace(name, _HERE)
    if _SUBJECT.search(text) or _SPELT_OUT.search(text):
        return True
    clauses = re.split("[.;]", abstract.lower().replace(name.lower(), _HERE))  # the pattern reaches over no end of one
    return any(_INTRODUCES.search(clause) for clause in clauses if _HERE in clause)


def _in_address(text: str, position: int) -> bool:
    start = text.rfind(" ", 0, position) + 1
    return "://" in text[start:position]
