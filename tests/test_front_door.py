"""`import rag` is light and lists what it exports; `rag.ask` and `rag ask --json` give one and the same shape."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import rag

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = json.loads(Path(__file__).with_name("answer_schema.json").read_text(encoding="utf-8"))
PREFILLING = "How much faster does PBS-Attn make prefilling?"


@dataclass(frozen=True)
class Case:
    """A question, what was asked before, what has to come out, and how many papers at least are cited."""

    question: str
    outcome: str
    papers: int = 0
    history: tuple[str, ...] = ()


CASES = {
    "answered": Case(PREFILLING, "answered", papers=1),
    "follow-up": Case("and by what trick?", "answered", papers=1, history=(PREFILLING,)),
    "multi-paper": Case("How do PBS-Attn and AutoTool differ?", "answered", papers=2),
    "refused, elsewhere": Case("What is the capital of Portugal?", "not_in_corpus"),
    "refused, silent": Case("Which GPU did the PBS-Attn authors rent?", "abstract_silent"),
    "smalltalk": Case("hello", "smalltalk"),
}


def _same(answer: dict) -> dict:
    """An answer without what differs from run to run."""
    return {key: value for key, value in answer.items() if key != "seconds"}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_python_and_the_command_give_the_same_answer_in_one_schema(home, run_rag, tmp_path, case):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    answer = rag.ask(case.question, history=list(case.history))
    from_python = answer.to_dict()
    history = tmp_path / "history.json"
    history.write_text(json.dumps(list(case.history)), encoding="utf-8")
    done = run_rag("ask", "--json", "--history", str(history), "--", case.question)
    assert done.returncode == 0, done.stderr
    from_command = json.loads(done.stdout)
    for printed in (from_python, from_command):
        jsonschema.validate(printed, SCHEMA)
    assert _same(json.loads(json.dumps(from_python))) == _same(from_command)
    assert from_python["outcome"] == case.outcome
    assert len({c["paper_id"] for c in from_python["citations"]}) >= case.papers
    if case.history:
        assert from_python["standalone_question"] != case.question


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_every_quote_stands_in_the_abstract_and_every_marker_in_the_text(home, case):
    answer = rag.ask(case.question, history=list(case.history))
    with rag.open() as library:
        papers = {paper.id: paper for paper in library.papers()}
    assert [c.marker for c in answer.citations] == list(range(1, len(answer.citations) + 1))
    for citation in answer.citations:
        assert citation.quote == papers[citation.paper_id].abstract[citation.start : citation.end]
        assert f"[{citation.marker}]" in answer.text


def test_the_schema_refuses_an_answer_without_citations():
    sound = rag.Answer("Q?", "Q?", "It is 3.", "not_in_corpus").to_dict()
    jsonschema.validate(sound, SCHEMA)
    for broken in ({**sound, "outcome": "answered"}, {**sound, "extra": 1}, {**sound, "confidence": 2}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, SCHEMA)


def test_the_exported_names_are_listed_and_there():
    public = {name for name in vars(rag) if not name.startswith("_")} - _submodules()
    assert set(rag.__all__) == public - {"annotations", "TYPE_CHECKING", "Any", "Iterable", "Sequence"}
    assert rag.__all__ == sorted(rag.__all__, key=lambda name: (name[0].islower(), name))


def _submodules() -> set[str]:
    folder = Path(rag.__file__).parent
    return {file.stem for file in folder.glob("*.py")} | {file.parent.name for file in folder.glob("*/__init__.py")}


def _loaded(code: str, environ: dict[str, str], cwd: Path) -> set[str]:
    """Return the top-level packages that a fresh Python has loaded after running some code."""
    script = f"{code}\nimport sys\nprint('LOADED', *{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", script], env=environ, cwd=cwd, text=True, capture_output=True, timeout=120, check=True
    )
    return set(done.stdout.rpartition("LOADED")[2].split())


HEAVY = {"chromadb", "gradio", "llama_index", "openai", "numpy", "onnxruntime", "tokenizers", "pydantic", "httpx"}


def test_importing_rag_loads_nothing_heavy(environ, elsewhere):
    assert not HEAVY & _loaded("import rag; rag.ask; rag.Answer", environ, elsewhere)


def test_the_help_loads_nothing_heavy(environ, elsewhere):
    code = "from rag.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass"
    assert not HEAVY & _loaded(code, environ, elsewhere)


@pytest.mark.parametrize("command", [["ask", PREFILLING], ["search", "sparse attention"]], ids=["ask", "search"])
def test_asking_an_existing_index_loads_neither_llama_index_nor_gradio(home, environ, elsewhere, command):
    loaded = _loaded(f"from rag.cli import main\nassert main({command!r}) == 0", environ, elsewhere)
    assert "chromadb" in loaded and "onnxruntime" in loaded
    assert not {"llama_index", "gradio", "openai", "pandas", "torch", "transformers"} & loaded
