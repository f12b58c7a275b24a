from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.errors import InputError, LibraryError
from rag.opening import open_library
from rag.survey.records import in_words

_QUESTION = "How many tide gauges does TideNet use?"
_CENSUS = "Which papers release their code?"
_ROWS = (
    (
        "t1",
        "TideNet",
        "Tides are hard to predict. We propose TideNet, which uses 12 tide gauges. Its code is available.",
    ),
    ("t2", "StormNet", "Storms are hard to predict. We propose StormNet, which uses 40 buoys and halves the error."),
    ("t3", "RiverNet", "Rivers flood. We propose RiverNet, which maps banks from 9 satellites."),
)


def _write(path: Path, rows) -> None:
    path.write_text(
        "\n".join(json.dumps(dict(zip(("id", "title", "abstract"), r, strict=True))) for r in rows), "utf-8"
    )


@pytest.fixture
def waters(tmp_path):
    with open_library(store=tmp_path / "store") as library:
        _write(tmp_path / "waters.jsonl", _ROWS)
        library.index(tmp_path / "waters.jsonl")
        yield library, tmp_path


def test_a_replay_is_identical_seconds_apart(waters):
    library, _ = waters
    for question in (_QUESTION, _CENSUS, "hello", "What is the price of bread?"):
        record = library.record(library.ask(question))
        replay = library.replay(record.id)
        assert replay.identical and replay.causes == (), question
        now = {k: v for k, v in replay.answer.to_dict().items() if k != "seconds"}
        assert json.loads(json.dumps(now)) == record.answer
    assert len(library.records()) == 4


def test_a_history_is_replayed_too(waters):
    library, _ = waters
    history = ["What does StormNet use?"]
    answer = library.ask("and does it halve the error?", history)
    assert library.replay(library.record(answer, history).id).identical


def test_after_an_abstract_changed_the_diff_names_it_and_what_differs(waters):
    library, folder = waters
    record = library.record(library.ask(_QUESTION))
    changed = [(i, t, a.replace("12 tide gauges", "14 tide gauges")) for i, t, a in _ROWS]
    _write(folder / "waters.jsonl", changed)
    library.index(folder / "waters.jsonl")
    replay = library.replay(record.id)
    assert not replay.identical
    assert [row.what for row in replay.causes] == ["paper t1 (used by the answer) changed"]
    text = next(row for row in replay.differences if row.what == "text")
    assert "12 tide gauges" in text.then and "14 tide gauges" in text.now
    assert {"citation is gone", "citation is new"} <= {row.what for row in replay.differences}
    assert "14 tide gauges" in in_words(replay)


def test_a_change_that_the_answer_does_not_use_is_named_and_changes_nothing(waters):
    library, folder = waters
    others = [(f"o{n}", f"Oak{n}", f"We propose Oak{n}, which counts the acorns of {n} parks.") for n in range(20)]
    _write(folder / "waters.jsonl", [*_ROWS, *others])
    library.index(folder / "waters.jsonl")
    record = library.record(library.ask(_QUESTION))
    changed = next(identity for identity, _, _ in others if identity not in record.evidence)
    others = [(i, t, a.replace("acorns", "nuts") if i == changed else a) for i, t, a in others]
    _write(folder / "waters.jsonl", [*_ROWS, *others])
    library.index(folder / "waters.jsonl")
    replay = library.replay(record.id)
    assert [row.what for row in replay.causes] == [f"paper {changed} changed"]
    assert not [row for row in replay.differences if row.what in ("text", "outcome", "citation is new")]


def test_new_and_removed_papers_are_named(waters):
    library, folder = waters
    record = library.record(library.ask(_CENSUS))
    _write(folder / "waters.jsonl", [*_ROWS[1:], ("t4", "IceNet", "We propose IceNet for ice. Code is available.")])
    library.index(folder / "waters.jsonl")
    replay = library.replay(record.id)
    assert {row.what for row in replay.causes} == {"paper t1 (used by the answer) is gone", "paper t4 is new"}
    assert any("IceNet" in str(row.now) for row in replay.differences)


def test_the_record_holds_question_settings_versions_and_hashes_but_no_key(waters):
    library, folder = waters
    record = library.record(library.ask(_QUESTION))
    stored = json.loads((folder / "store" / "records" / f"{record.id}.json").read_text("utf-8"))
    assert stored["question"] == _QUESTION and stored["mode"] == "extractive"
    assert {"version", "code", "prompts", "embedder", "chunking", "seed"} <= set(stored["setup"])
    assert not {"api_key", "base_url", "home"} & set(stored["setup"])
    assert "t1" in stored["evidence"]
    assert (folder / "store" / "records").stat().st_mode & 0o077 == 0


def test_nothing_is_recorded_unasked_and_the_same_answer_is_one_record(waters):
    library, folder = waters
    library.ask(_QUESTION)
    assert not (folder / "store" / "records").exists()
    first, second = (library.record(library.ask(_QUESTION)) for _ in range(2))
    assert first.id == second.id and len(library.records()) == 1


@pytest.mark.parametrize("identity", ["", "nothing", "../../etc/passwd", "0" * 12])
def test_an_unknown_record_is_an_error(waters, identity):
    with pytest.raises(InputError):
        waters[0].replay(identity)


def test_a_broken_record_is_an_error_of_one_sentence(waters):
    library, folder = waters
    record = library.record(library.ask(_QUESTION))
    (folder / "store" / "records" / f"{record.id}.json").write_text("{", "utf-8")
    with pytest.raises(LibraryError, match="restore it or remove it"):
        library.replay(record.id)
