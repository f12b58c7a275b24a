import json

import pytest
from scripted_eval import GOLD, PAPERS

from eval.gold import load_gold, split_of
from rag.errors import InputError

LINE = {
    "id": "sf-1",
    "kind": "single_fact",
    "question": "What does TARNLEX score?",
    "history": [],
    "papers": ["tarn"],
    "must": [["71.4"]],
    "must_not": [],
    "outcome": "answered",
    "answers": ["71.4 F1."],
    "note": "",
}


def write(tmp_path, *lines):
    file = tmp_path / "gold.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return file


def test_a_gold_file_reads_back_as_written(tmp_path):
    file = write(tmp_path, *(gold.to_dict() for gold in GOLD))
    assert load_gold([file], PAPERS) == GOLD


def test_a_byte_order_mark_and_blank_lines_are_passed_over(tmp_path):
    file = write(tmp_path, LINE, "", "")
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert [gold.id for gold in load_gold([file], PAPERS)] == ["sf-1"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"papers": ["nope"]}, "gold paper 'nope' of 'sf-1' is not in the library"),
        ({"kind": "riddle"}, "kind is 'riddle', but it must be one of"),
        ({"outcome": "maybe"}, "outcome is 'maybe', but it must be one of"),
        ({"must": [[]]}, "a group of must is empty"),
        ({"must": ["71.4"]}, r"must is \['71.4'\], but it must be a list of groups"),
        ({"papers": ["tarn:0"]}, "'tarn:0' of 'sf-1' is not in the library .* write 'tarn', for a chunk is no paper"),
        ({"papers": [7]}, r"papers is \[7\], but it must be a list of texts"),
        ({"id": 7}, "id is 7, but it must be text"),
        ({"history": None}, "history is None, but it must be a list of texts"),
        ({"count": float("nan")}, "count is nan, but it must be a whole number"),
        ({"question": "How many \ud800?"}, "holds half a character"),
        ({"must": [["74.1"]]}, r"none of \['74.1'\] occurs in the abstracts of tarn"),
        ({"must": [["×"]]}, "holds neither a word nor a number"),
        ({"papers": []}, "outcome answered with 0 papers"),
        ({"papers": ["tarn", "tarn"]}, "a paper is named twice"),
        ({"question": "  "}, "question is '  '"),
        ({"history": "earlier"}, "history is 'earlier'"),
        ({"answers": []}, "answers is empty"),
        ({"count": 2}, "only census questions have a count"),
        ({"extra": 1}, "the key 'extra' is unknown"),
        ({"kind": "too_vague"}, "kind too_vague has the outcome answered"),
        ({"kind": "injection", "outcome": "not_in_corpus", "papers": []}, "leave must empty"),
        ({"kind": "injection", "outcome": "not_in_corpus"}, "leave papers empty"),
    ],
)
def test_a_line_that_does_not_hold_is_named_by_file_and_number(tmp_path, change, message):
    file = write(tmp_path, LINE | {"id": "first"}, LINE | change)
    with pytest.raises(InputError, match=message) as caught:
        load_gold([file], PAPERS)
    assert f"{file}, line 2" in str(caught.value)


def test_line_ends_of_windows_and_a_question_without_facts_are_read(tmp_path):
    file = tmp_path / "gold.jsonl"
    rows = [LINE | {"must": []}, LINE | {"id": "sf-2"}]
    file.write_bytes(b"".join(json.dumps(row).encode() + b"\r\n" for row in rows))
    assert [(gold.id, gold.must) for gold in load_gold([file], PAPERS)] == [("sf-1", ()), ("sf-2", (("71.4",),))]


def test_a_file_of_two_thousand_lines_is_read(tmp_path):
    file = write(tmp_path, *(LINE | {"id": f"sf-{n}"} for n in range(2000)))
    assert len(load_gold([file], PAPERS)) == 2000


def test_a_false_premise_may_be_corrected_in_other_words(tmp_path):
    line = LINE | {"kind": "false_premise", "outcome": "false_premise", "must": [["does not claim"]]}
    assert load_gold([write(tmp_path, line)], PAPERS)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([LINE, LINE], "line 2: the id 'sf-1' was used before"),
        ([LINE, '{"id": "x", '], "line 2 is not JSON"),
        ([LINE, "[1]"], "line 2 is JSON but no object"),
        (['{"id": "a", "id": "b"}'], "line 1: a key stands there twice"),
        ([{k: v for k, v in LINE.items() if k != "note"}], "the key 'note' is missing"),
        ([""], "holds no gold question"),
        (["\x00"], "line 1 is not JSON"),
        (["id,question", "a,How many?"], "line 1 is not JSON"),
        ([json.dumps([LINE])], "line 1 is JSON but no object"),
        (["[" * 100_000], "line 1 is nested too deep"),
        (
            [{"query": "What?", "answer": "71.4", "doc_ids": ["tarn"]}],
            "the key 'id' is missing; a gold line has id, kind",
        ),
    ],
)
def test_a_broken_file_is_an_error(tmp_path, lines, message):
    with pytest.raises(InputError, match=message):
        load_gold([write(tmp_path, *lines)], PAPERS)


def test_a_missing_or_undecodable_file_is_an_error(tmp_path):
    with pytest.raises(InputError, match="can't be read"):
        load_gold([tmp_path / "none.jsonl"], PAPERS)
    (tmp_path / "latin.jsonl").write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match="not UTF-8"):
        load_gold([tmp_path / "latin.jsonl"], PAPERS)
    with pytest.raises(InputError, match="No gold file"):
        load_gold([], PAPERS)


def test_the_split_is_fixed_by_the_id_and_about_even():
    assert (split_of("sf-1"), split_of("sf-2"), split_of("sf-6")) == ("dev", "dev", "test")
    assert 400 < sum(split_of(f"q{i}") == "test" for i in range(1000)) < 600
