"""Questions about the whole library are told from those about one paper, however they are put."""

from __future__ import annotations

import pytest

from rag.retrieval.question import understand

_OF_ALL = """
How many papers train on tides? | how mny papers train on tides | What number of abstracts mention mills?
how many use a mill? | how many release their code | how many don't report numbers? | how many are about ferries
and how many of those have code? | what percentage use mills? | what share of the papers release code?
What fraction of the library reports a speed-up? | Which of them use mills? | which of these are surveys?
which ones are on ferries | any on ferries? | any with a mill? | any work on dams? | is anything here about dams?
list everything on tidal power | show me everything about ferries | give me the ones that have code
Does anyone use salt? | has anybody here tested on real ferries? | do any of them release code? | do any use mills?
do most papers release code? | are most of these about tides? | is there more than one paper on dams?
do at least two papers study dams? | who uses mills? | who else works on ferries? | which authors release code?
How common are mills in these papers? | how often is salt used across the library? | is salt used in any of the papers?
is salt mentioned anywhere in this library? | what is there on dams? | what do you have on ferries?
have you got anything about salt? | do we have anything on dams? | is there any research on dams?
all mill papers | mill papers without code | all the work on dams | the ones with code
which ferry surveys are in the library?
name three papers on dams | find all works about salt | tell me which papers are about dams
"""
_OF_ONE = """
How many mills does the ferry paper use? | how many boats are in the fleet? | How many use cases does it name?
how many papers does the survey of mills review? | how many papers were read for the dam survey?
who built the mill? | who wrote the paper on dams? | does the mill paper release code? | is the code of FERRYQ out?
what percentage of the water is lost? | what share of the gain comes from salt? | how often does the mill turn?
why did the share of papers on dams fall? | what does the 17K papers analysis of the ferry journal find?
since mills are the key to cheap flour, how many do I need?
how common are leaks in the new dam? | tell me something about mills | what is a mill? | what else does FERRYQ do?
is anything lost when the gate closes? | are most leaks due to salt? | which of the two is faster?
on how many test sets was it tried? | does anyone know how fast it is? | what have the authors found about salt?
Is there anything that lets a small helper mill write plans which a big one then checks in one pass?
who deals with carrying goods over water where every boat is as long as a street?
"""


def _rows(text: str) -> list[str]:
    return [row.strip() for line in text.strip().splitlines() for row in line.split(" | ")]


@pytest.mark.parametrize("text", _rows(_OF_ALL))
def test_a_question_about_all_papers_goes_to_the_census(text: str) -> None:
    assert understand(text).kind == "census"


@pytest.mark.parametrize("text", _rows(_OF_ONE))
def test_a_question_about_one_paper_does_not(text: str) -> None:
    assert understand(text).kind != "census"
