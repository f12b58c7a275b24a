"""However a reader wraps a whole-corpus question, it asks the same: metamorphic over frames and conditions."""

from __future__ import annotations

import pytest

from rag.census.conditions import understand_census
from rag.census.predicates import in_words
from rag.retrieval.asides import without_asides
from rag.retrieval.whole import asks_of_all

# {v} is a condition as a plural says it, {v3} as a singular does.
_FRAMES = """
which papers {v}?
List every abstract in here which {v3}.
for my survey: which papers {v}?
hi! can you tell me which papers {v}? thanks
I need all papers that {v}, for a slide
which of these papers {v}, roughly?
pls list the papers that {v} (all of them)
give me every single paper here that {v3}
How many of the papers {v}?
how many papers in this collection {v}
count the abstracts that {v}
Could you find me the papers which {v}?
i'm looking for papers that {v}
are there any papers that {v}?
does any of the papers {v}?
Which authors {v}?
what papers {v}? all of them please
show me the ones that {v}
which works {v} in some way?
Among the papers here, which {v}?
out of all the abstracts, which ones {v}?
name all papers that {v} one way or another
do any of these {v}
in total, how many papers {v}?
what fraction of the papers {v}
so which papers actually {v}?
Which papers {v} according to their abstracts?
Which papers say in the abstract that they {v}?
who {v}?
papers that {v}
my advisor asks which papers {v}
For the related work section I need a list of papers that {v}.
which papers explicitly {v}
is there a paper here that {v3}?
Please enumerate all submissions that {v}, with a quote each.
tell me how many papers {v} and which ones
hey quick one - how many of the abstracts {v}?
We are preparing a survey; which of the papers {v}?
Of the nineteen papers, which {v}?
need a list: papers that {v}
what are the papers that {v}
Which of the listed works {v}, if any?
Any paper that {v3}?
Is there at least one paper that {v3}?
Give an overview of papers which {v}
I'd like to see all abstracts that {v}.
Let me know which papers {v}
how many papers do {v}
how many papers {v}? name them
Can you list the titles of the papers that {v}?
which teams {v}
Do all papers {v}?
Do most of the papers {v}?
what share of papers {v}?
list the papers (if there are any) that {v}
which submissions at this conference {v}
Could you check which papers {v}?
check all abstracts: which ones {v}?
go through all the papers and tell me which {v}
are there papers in this set which {v}
For a blog post I'm writing: how many of these papers {v}?
As a reviewer I want to know which papers {v}.
in how many abstracts do the authors {v}
Which of the methods described here {v}?
I am collecting papers that {v}. Which ones are in here?
which papers clearly {v}
""".strip().splitlines()
# {t} is a topic.
_TOPICAL = """
papers on {t}
anything about {t}?
list papers on {t}
all papers related to {t}
which papers are about {t}
what do we have on {t}?
is there anything on {t} in here?
papers here that use some kind of {t} as part of the method
papers dealing with {t}, please
do you have papers on {t}?
what's out there on {t}
find me work on {t}
any {t} papers?
how many papers involve {t}
which papers touch on {t}
papers where {t} plays a role
which papers rely on {t} in some form?
who is working on {t}
who here does {t}?
{t} papers
list everything about {t}
which papers have something to do with {t}?
how often does {t} come up in the papers?
papers in which {t} is used
which papers make use of {t}
which papers have {t} in them
who uses {t}?
show me the papers that mention {t} anywhere
papers w/ {t}
papers with {t} pls
I'm into {t}. Which papers should I read?
what papers should I look at if I care about {t}?
which of these are {t} papers
is {t} a topic here? which papers?
how popular is {t} in this library?
how many of the papers have to do with {t}
count papers on {t}
does anybody do {t} here?
has anyone looked at {t}?
everything you have on {t}
how many abstracts talk about {t}?
I want all the {t} stuff
which papers discuss or use {t}
which ones are on {t}?
Find papers concerned with {t}.
where is {t} used?
""".strip().splitlines()
_CONDITIONS = {
    "use distillation": "uses distillation",
    "release code": "releases code",
    "introduce a benchmark": "introduces a benchmark",
    "are about video generation": "is about video generation",
    "give a GitHub link": "gives a GitHub link",
    "prove a theorem": "proves a theorem",
    "mention hallucinations": "mentions hallucinations",
    "deal with robots": "deals with robots",
}


def condition(question: str) -> str:
    words = in_words(understand_census(question).predicate)
    # How a thing has to be treated ("use", "mention") follows the reader's verb, which a frame may change.
    for relation in ("concern ", "mention ", "are about "):
        words = words.replace(relation, "")
    return words


@pytest.mark.parametrize("frame", _FRAMES)
def test_a_frame_around_a_condition_changes_nothing(frame):
    for plural, singular in _CONDITIONS.items():
        question = frame.format(v=plural, v3=singular)
        assert asks_of_all(question, False), question
        assert condition(question) == condition(f"which papers {plural}?"), question


@pytest.mark.parametrize("frame", _TOPICAL)
def test_a_frame_around_a_topic_changes_nothing(frame):
    for topic in ("distillation", "video generation", "robots"):
        question = frame.format(t=topic)
        assert asks_of_all(question, False), question
        assert condition(question) == condition(f"which papers are about {topic}?"), question


@pytest.mark.parametrize(
    "question",
    [
        "My robot needs a memory; which paper helps?",
        "I have a MoE model that is too big for my GPU: which paper can help?",
        "What kind of memory does SOMA use?",
        "Which papers review methods for a section on privacy?",
        "For video generation, which method is fastest?",
        "Is the method for grasping robust to noise?",
    ],
)
def test_what_a_question_is_about_is_no_aside(question):
    assert without_asides(question) == question
