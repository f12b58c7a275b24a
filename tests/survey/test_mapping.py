from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from rag.errors import InputError, LibraryError
from rag.survey.drawing import COLOURINGS, page, svg
from rag.survey.mapping import draw_map
from rag.types import Paper

_SVG = "{http://www.w3.org/2000/svg}"


def _papers(count: int) -> list[Paper]:
    kinds = ("river floods and dams", "stellar spectra and dwarfs", "tulip bulbs and gardens")
    return [
        Paper(f"p{n}", f"On {kinds[n % 3]}", False, f"We study {kinds[n % 3]} in year {n}.", "", {"year": 2020 + n % 2})
        for n in range(count)
    ]


def _vectors(papers):
    rng = np.random.default_rng(1)
    return {p.id: np.eye(8)[n % 3] + 0.05 * rng.normal(size=8) for n, p in enumerate(papers)}


def test_clear_clusters_are_found_and_named_by_their_own_terms():
    papers = _papers(30)
    drawn = draw_map(papers, _vectors(papers), 3)
    assert [len(topic.papers) for topic in drawn.topics] == [10, 10, 10]
    for topic in drawn.topics:
        assert len({paper.title for paper in topic.papers}) == 1
        assert any(word in topic.papers[0].title for word in topic.terms[0].split())
    assert drawn.years == {2020: 15, 2021: 15}


def test_the_map_of_the_seeds_is_whole_and_the_same_each_time(library):
    first, second = library.map(), library.map()
    assert first.to_dict() == second.to_dict()
    assert sorted(p.paper.id for p in first.points) == sorted(p.id for p in library.papers())
    assert sum(len(topic.papers) for topic in first.topics) == 19
    sizes = [len(topic.papers) for topic in first.topics]
    assert sizes == sorted(sizes, reverse=True)
    assert all(topic.terms and topic.representatives for topic in first.topics)
    assert all(0 <= p.x <= 1 and 0 <= p.y <= 1 for p in first.points)
    assert first.years == {2026: 19}


def test_neighbours_in_meaning_share_a_topic(library):
    drawn = library.map()
    topic = {point.paper.title.partition(":")[0]: point.topic for point in drawn.points}
    assert topic["AutoTool"] == topic["LDPVR"] == topic["SeProD"]
    assert topic["WASH"] != topic["LDPVR"]


def test_the_order_of_papers_changes_no_topic():
    papers = _papers(30)
    vectors = _vectors(papers)
    sets = [
        {frozenset(p.id for p in topic.papers) for topic in draw_map(order, vectors, 3).topics}
        for order in (papers, papers[::-1])
    ]
    assert sets[0] == sets[1]


@pytest.mark.parametrize("by", COLOURINGS)
def test_the_picture_shows_every_title_and_needs_nothing_from_outside(library, by):
    drawn = library.map()
    root = ElementTree.fromstring(svg(drawn, by))
    titles = [node.text or "" for node in root.iter(f"{_SVG}title")]
    assert all(any(title.startswith(p.paper.title) for title in titles) for p in drawn.points)
    text = page(drawn, by)
    assert "<script" not in text and "src=" not in text and "@import" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")


def test_hostile_titles_stay_text():
    papers = [replace(p, title='<script>alert("1")</script> & “x”') for p in _papers(6)]
    drawn = draw_map(papers, _vectors(papers), 2)
    ElementTree.fromstring(svg(drawn))
    seen: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag, attrs):
            seen.append(tag)

    Tags().feed(page(drawn))
    assert "script" not in seen and "circle" in seen


def test_one_paper_and_equal_papers_can_be_drawn():
    one = _papers(1)
    assert draw_map(one, _vectors(one)).points[0].topic == 1
    same = _papers(5)
    drawn = draw_map(same, {p.id: np.ones(4) for p in same}, 3)
    assert sum(len(topic.papers) for topic in drawn.topics) == 5
    svg(drawn)


def test_papers_without_a_vector_are_counted_and_none_at_all_is_an_error():
    papers = _papers(6)
    vectors = _vectors(papers)
    del vectors["p0"]
    assert draw_map(papers, vectors).unplaced == 1
    with pytest.raises(LibraryError):
        draw_map(papers, {})


@pytest.mark.parametrize("topics", [0, -1, 7, 41])
def test_an_impossible_number_of_topics_is_an_error(topics):
    papers = _papers(6)
    with pytest.raises(InputError):
        draw_map(papers, _vectors(papers), topics)
