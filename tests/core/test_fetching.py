"""`rag fetch` against scripted servers that page, limit, break off and lie."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from rag.cli import main
from rag.errors import InputError, ModelError, NothingIndexed
from rag.library.corpus import read_file
from rag.library.fetching import fetch, file_name
from tests.core.services import Reply, Request, service

VENUE = "HARBOUR.cc/2031/Conference"


def note(number: int) -> dict[str, object]:
    content = {"title": {"value": f"Mill {number}"}, "abstract": {"value": f"Mill number {number} turns at night."}}
    return {"id": f"n{number}", "forum": f"n{number}", "content": content}


def pages(count: int, size: int, said: int | None = None) -> Callable[[Request], Reply]:
    def answer(request: Request) -> Reply:
        start = int(request.values["offset"])
        notes = [note(n) for n in range(start, min(start + size, count))]
        return Reply(json.dumps({"notes": notes, "count": count if said is None else said}))

    return answer


def entry(number: int) -> str:
    return (
        f"<entry><id>http://arxiv.org/abs/3101.{number:05}v2</id><published>2031-01-02T00:00:00Z</published>"
        f"<title>Mill {number}\n  at Night</title><summary>  Mill number {number} turns\nat night. </summary>"
        "<author><name>A. Reed</name></author><author><name>B. Holt</name></author>"
        '<category term="cs.LG"/><arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1/ab</arxiv:doi></entry>'
    )


def feed(*numbers: int, total: int) -> Reply:
    return Reply(
        '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" '
        'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
        f"<opensearch:totalResults>{total}</opensearch:totalResults>{''.join(map(entry, numbers))}</feed>"
    )


def test_openreview_is_read_page_by_page_and_the_file_indexes(tmp_path: Path) -> None:
    path, waits = tmp_path / "a.jsonl", []
    with service(pages(25, 10)) as server:
        count = fetch("openreview", VENUE, path, address=server.address, sleep=waits.append)

    assert count == len(read_file(path).papers) == 25
    assert [r.values["offset"] for r in server.requests] == ["0", "10", "20", "25"]
    assert {r.values["content.venueid"] for r in server.requests} == {VENUE}
    assert len(waits) == 3 and min(waits) > 0


def test_arxiv_is_read_and_what_is_known_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with service(feed(1, 2, total=3), feed(3, total=3), feed(total=3)) as server:
        assert fetch("arxiv", "cat:cs.LG", path, address=server.address, sleep=lambda s: None) == 3

    paper = read_file(path).papers[0]
    assert (paper.id, paper.title, paper.abstract) == ("3101.00001", "Mill 1 at Night", "Mill number 1 turns at night.")
    assert paper.metadata == {
        "url": "http://arxiv.org/abs/3101.00001v2",
        "doi": "10.1/ab",
        "authors": ["A. Reed", "B. Holt"],
        "keywords": ["cs.LG"],
        "year": 2031,
    }


def test_a_limit_of_the_server_is_waited_for(tmp_path: Path) -> None:
    waits: list[float] = []
    limited = Reply("slow", 429, {"retry-after": "7"})
    with service(pages(5, 10), limited, Reply("<html>", 503), pages(5, 10)) as server:
        assert fetch("openreview", VENUE, tmp_path / "a", address=server.address, sleep=waits.append) == 5

    assert waits == [1.0, 7.0, 2.0]


def test_a_run_that_breaks_off_goes_on_where_it_was(tmp_path: Path) -> None:
    path, said = tmp_path / "a.jsonl", []
    told = "what has arrived is kept, and the same command goes on from there"
    breaking = service(pages(25, 10), pages(25, 10), Reply("{", cut=True))
    with breaking as server, pytest.raises(ModelError, match=told):
        fetch("openreview", VENUE, path, address=server.address, sleep=lambda s: None)
    assert not path.exists()
    with (tmp_path / "a.jsonl.part").open("a", encoding="utf-8") as part:
        part.write('{"id": "cut o')

    with service(pages(25, 10)) as server:
        assert fetch("openreview", VENUE, path, address=server.address, say=said.append, sleep=lambda s: None) == 25

    assert server.requests[0].values["offset"] == "20"
    assert "going on after the 20 abstracts" in said[0]
    assert len({p.id for p in read_file(path).papers}) == 25


def test_another_query_does_not_go_on_from_the_first(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    (tmp_path / "a.jsonl.part").write_text('{"fetch": "openreview", "query": "other"}\n{"id": "x"}\n', encoding="utf-8")
    with service(pages(3, 10)) as server:
        assert fetch("openreview", VENUE, path, address=server.address, sleep=lambda s: None) == 3


@pytest.mark.parametrize("said", [0, 3, 999])
def test_a_total_that_is_not_true_neither_cuts_nor_hangs(tmp_path: Path, said: int) -> None:
    told: list[str] = []
    with service(pages(25, 10, said)) as server:
        count = fetch(
            "openreview", VENUE, tmp_path / "a", address=server.address, say=told.append, sleep=lambda s: None
        )

    assert count == 25
    assert ("the service spoke of 999 abstracts and gave 25" in told) == (said == 999)


def test_a_server_that_repeats_its_first_page_ends(tmp_path: Path) -> None:
    with service(feed(1, 2, total=100)) as server:
        assert fetch("arxiv", "cat:cs.LG", tmp_path / "a", address=server.address, sleep=lambda s: None) == 2


def test_an_empty_page_in_the_middle_is_asked_for_again(tmp_path: Path) -> None:
    with service(feed(1, 2, total=3), feed(total=3), feed(3, total=3)) as server:
        assert fetch("arxiv", "cat:cs.LG", tmp_path / "a", address=server.address, sleep=lambda s: None) == 3

    assert [request.values["start"] for request in server.requests][:3] == ["0", "2", "2"]


def test_a_query_that_arxiv_refuses_inside_a_feed_is_told(tmp_path: Path) -> None:
    error = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/api/errors#x</id><title>Error</title>'
        "<summary>malformed query</summary></entry></feed>"
    )
    with (
        service(Reply(error)) as server,
        pytest.raises(InputError, match=r"arXiv refused the query \(malformed query\)"),
    ):
        fetch("arxiv", "cat:(", tmp_path / "a", address=server.address, sleep=lambda s: None)
    assert not (tmp_path / "a").exists()


def test_a_wait_until_a_date_is_obeyed(tmp_path: Path) -> None:
    waits: list[float] = []
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    with service(Reply("slow", 429, {"retry-after": until}), pages(5, 10)) as server:
        fetch("openreview", VENUE, tmp_path / "a", address=server.address, sleep=waits.append)

    assert 40 < waits[0] <= 60


def test_nothing_found_writes_nothing(tmp_path: Path) -> None:
    with service(pages(0, 10)) as server, pytest.raises(NothingIndexed, match="check the query"):
        fetch("openreview", "NO.cc/Such", tmp_path / "a", address=server.address, sleep=lambda s: None)

    assert list(tmp_path.iterdir()) == []


def test_a_feed_that_declares_entities_is_not_expanded(tmp_path: Path) -> None:
    bomb = Reply('<?xml version="1.0"?><!DOCTYPE f [<!ENTITY a "aaaa">]><feed>&a;</feed>')
    with service(bomb) as server, pytest.raises(ModelError, match="declares entities"):
        fetch("arxiv", "cat:cs.LG", tmp_path / "a", address=server.address, sleep=lambda s: None)


def test_the_command_writes_a_file_named_after_the_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with service(pages(2, 10)) as server:
        assert main(["fetch", "openreview", VENUE, "--address", server.address, "--limit", "1"]) == 0

    name = file_name("openreview", VENUE)
    assert name == "openreview-HARBOUR.cc-2031-Conference.jsonl"
    assert f"{name}: 1 abstracts; index them with: rag index {name}" in capsys.readouterr().out
    assert len(read_file(tmp_path / name).papers) == 1
