"""Names of the packaged abstracts find their papers however they are typed; other words are not taken for them."""

from __future__ import annotations

import pytest

from rag.pipeline import Library
from rag.text.names import name_key
from tests.slips import Slip, owned_names, slips

COUNT = 200
WORDS = """
    ability account action address advance agreement airport amount animal answer argument arrival autumn balance basket
    battle beauty bedroom behaviour blanket border bottle branch breath bridge budget building butter button camera
    captain carpet castle ceiling century chapter charity chicken climate clothes coffee colour comfort company concert
    copper corner cottage country courage cousin cradle credit culture curtain customer damage danger daughter decade
    degree desert dinner disease distance doctor dollar dragon drawer economy editor effort election engine evening
    exercise factory failure family farmer fashion feather festival figure finger forest fortune freedom garden
    gesture glacier grammar hammer harbour harvest helmet history holiday honey hospital hunger island jacket journey
    kitchen ladder language lawyer leather legend lesson letter library luggage machine market meadow measure
    medicine memory message mirror mixture moment mountain museum needle number office orange orchard painter parcel
""".split()
ELSEWHERE = """
    ResNet VGGNet AlexNet GoogLeNet MobileNet EfficientNet DenseNet YOLO SSD DETR UNet CycleGAN StyleGAN BigGAN WGAN
    VQ-VAE NeRF DreamFusion BERT RoBERTa ALBERT ELECTRA XLNet T5 BART GPT-2 PaLM Chinchilla Gopher Mistral Gemma BLOOM
    LoRA QLoRA DPO RLHF SAC DDPG TRPO MuZero AlphaGo Dreamer Adam AdamW Adafactor Word2Vec GloVe FastText ELMo
    SQuAD HotpotQA CoQA WinoGrande HellaSwag CIFAR-10 SVHN KITTI Cityscapes LibriSpeech Whisper wav2vec HuBERT
    node2vec GraphSAGE GATv2 DeepWalk XGBoost LightGBM CatBoost
    Glorvex Tamquil NerbaNet Quistle-4 PLOMBR Varnodyne Ystrad-X OKTAVIEL Fenwick-Lite Hulbert3 Zanthor Ruvella
    Drimpact MOVARD Celtrix-V Benthos9 Larkspur-R Ombrelle KESTRIX Jubalon Skarn-Net Pellucid-2 Wrenbury TOLLGATE
""".split()


@pytest.fixture(scope="module")
def uses(seeds: Library) -> dict[str, set[str]]:
    """Return the papers of each name that is a paper's own, by key."""
    return owned_names(seeds)


@pytest.mark.parametrize("form", ["{}", "what is {}?", "how does {} work"])
def test_a_mistyped_name_finds_its_paper_first(seeds: Library, uses: dict[str, set[str]], form: str) -> None:
    tried = slips(sorted(uses), COUNT)
    missed = [slip for slip in tried if not _found(seeds, uses, slip, form)]

    assert len(missed) <= 0.05 * COUNT, missed


def _found(seeds: Library, uses: dict[str, set[str]], slip: Slip, form: str) -> bool:
    return seeds.search(form.format(slip.typed), 1)[0].paper_id in uses[slip.name]


def test_words_and_names_of_elsewhere_are_not_taken_for_names_of_the_library(seeds: Library) -> None:
    text = name_key(" ".join(f"{paper.title} {paper.abstract}" for paper in seeds.papers()))
    strange = [word for word in (*WORDS, *ELSEWHERE) if name_key(word) not in text]
    taken = {word: found for word in strange if (found := seeds.searcher().mentions(f"what is {word}?"))}

    assert len(strange) >= COUNT
    assert len(taken) <= 0.02 * len(strange), taken
