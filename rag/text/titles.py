"""A title for an abstract that came without one: the name it coins and what that is, in the abstract's own words."""

from __future__ import annotations

import re

from rag.text.names import is_coined, name_key
from rag.text.sentences import sentences

_MAX_WORDS, _MIN_WORDS = 10, 4
_MAX_CHARACTERS = 200  # of ten words; a text without spaces has longer ones
_VERBS = (
    r"(?:introduces?|proposes?|presents?|develops?|instantiates?[^,.]{0,30}? in|terms?|termed|release[sd]?|"
    r"identif(?:y|ies)|"
    r"design(?:s|ed)?|describes?|builds?|employs?)"
)
_SUBJECT = r"(?:we|this (?:paper|work|article|study)|our (?:work|paper))"
_COINED = r"[^\s,.;:()—–]+"
_INTRODUCES = re.compile(rf"\b{_SUBJECT}\s+(?:\w+\s+){{0,3}}?{_VERBS}\s+(?P<what>[^.;]+)", re.IGNORECASE)
_NAMED_IN_BRACKETS = re.compile(rf"(?P<long>[^.;()]*?)\s*\((?P<short>{_COINED})\)")
_SHORT_THEN_LONG = re.compile(rf"(?P<short>{_COINED})\s*\((?P<long>[^()]{{8,120}})\)")
_APPOSITION = re.compile(
    rf"(?:the\s+)?(?P<name>{_COINED}(?:\s+{_COINED}){{0,4}}?)\s*[,—–]\s*(?P<what>(?:an?|the|which)\s[^.;]+|[A-Z][^—.;,]+)"
)
_TERMED = re.compile(rf"\b(?:termed|called|named|dubbed)\s+(?P<short>{_COINED})\s*\((?P<long>[^()]{{8,120}})\)")
_CLAUSE_END = re.compile(r"\s*(?:,|;|:|—|\s--?|\bwhich\b|\bvia\b|\baccording to\b|\bthat\b|\bby\b|\bwith\b)(?=\s)")
_CAPITALISED = re.compile(r"((?:[A-Z][\w-]*|of|via|for|and|in)(?:\s+|$)){1,8}$")
_ARTICLE = re.compile(r"^(?:an?|the|to|(?:in this (?:paper|work), )?we)\s+", re.IGNORECASE)
_POINTS_BACK = re.compile(r"\b(?:this|these|it|such|following|two|three|several)\b", re.IGNORECASE)
_NOVEL = re.compile(r"\b(?:novel|new)\s+(?P<what>[\w-]+\s[^.;()]{12,})")
_DANGLING = re.compile(
    r"(?:[\s,]+(?:an?|the|of|in|to|for|from|by|with|and|or|on|at|into|as|that|which|using|via|according|derived|trained|built|"
    r"based|enable|where|is|are|be|its|their|our|upon|through|not|more|most|any|when|whether|such|both|under|over|while|but|than|"
    r"because|since|if|can|has|have|had|was|were|will|may|this|these|each|every|between|among|within|without|across|toward|"
    r"towards|including|called|named|termed|we|it|they|e\.g|i\.e|et al))+$",
    re.IGNORECASE,
)
_LOOSE = " ,;:.—–-"  # signs at an end that want another word
_ADDRESS = re.compile(r"https?://\S+")


def derive_title(abstract: str) -> str:
    """Return a title made of words of the abstract: "PBS-Attn: Permuted Block-Sparse Attention"; never empty."""
    introduced = [match["what"] for s in sentences(abstract) for match in _INTRODUCES.finditer(s.text)]
    named = [title for title in map(_from_phrase, introduced) if title]
    addresses = name_key(" ".join(_ADDRESS.findall(abstract)))
    # Where several names are introduced, the one that the paper's own repository carries is the paper's.
    own = [title for title in named if name_key(title.split(":")[0]) in addresses]
    if own or named:
        return (own or named)[0]
    first = sentences(abstract)[0].text if abstract.strip() else abstract
    subject = _SHORT_THEN_LONG.match(first)
    if subject and is_coined(subject["short"]):
        return f"{subject['short']}: {_clip(subject['long'])}"
    described = [w for w in introduced if len(w.split()) >= 4 and not _POINTS_BACK.search(" ".join(w.split()[:8]))]
    described += [match["what"] for match in _NOVEL.finditer(abstract)]
    return _clip(_ARTICLE.sub("", described[0] if described else first))


def _from_phrase(phrase: str) -> str:
    """Return "name: what it is" where the phrase names something, else nothing."""
    short_long = _SHORT_THEN_LONG.match(phrase) or _TERMED.search(phrase)
    if short_long and is_coined(short_long["short"]):
        return f"{short_long['short']}: {_clip(short_long['long'])}"
    apposition = _APPOSITION.match(phrase)
    if apposition and is_coined(apposition["name"].split()[-1]):
        what = re.sub(r"^(?:an?|the|which)\s+", "", apposition["what"])
        return f"{apposition['name']}: {_clip(what)}"
    brackets = _NAMED_IN_BRACKETS.match(phrase)
    if brackets and is_coined(brackets["short"]):
        return f"{brackets['short']}: {_clip(_long_form(brackets['long']))}"
    return ""


def _long_form(text: str) -> str:
    """Keep the capitalised words that a bracketed short form stands for: "the Deep Hierarchical Agent"."""
    capitalised = _CAPITALISED.search(text.strip())
    # One plain word of several, such as the RL of "a hierarchy of tasks for RL", is not what the short form stands for.
    words = capitalised.group().split() if capitalised else []
    whole = sum(word[0].isupper() for word in words) > 1 or any("-" in word for word in words)
    return (capitalised.group() if capitalised and whole else _ARTICLE.sub("", text.strip())).strip()


def _clip(text: str) -> str:
    """Cut at a clause or after ten words, never after a word that wants another, and begin with a capital."""
    words = text.strip().split()
    clipped = " ".join(words[:_MAX_WORDS])[:_MAX_CHARACTERS]
    for end in _CLAUSE_END.finditer(clipped):
        if len(clipped[: end.start()].split()) >= _MIN_WORDS:
            clipped = clipped[: end.start()]
            break
    clipped = _closed(clipped)
    clipped = _DANGLING.sub("", clipped.rstrip(_LOOSE)).rstrip(_LOOSE)
    return clipped[:1].upper() + clipped[1:]


def _closed(text: str) -> str:
    """Return a text up to the first bracket, quotation or formula in it that is not closed, if words are left."""
    for opening, closing in (("(", ")"), ("[", "]"), ("{", "}"), ("“", "”"), ('"', '"'), ("$", "$")):
        open_at = _unclosed(text, opening, closing)
        if open_at is not None and len(text[:open_at].split()) >= 2:
            text = text[:open_at]
    return text


def _unclosed(text: str, opening: str, closing: str) -> int | None:
    open_at: list[int] = []
    for place, sign in enumerate(text):
        if sign == closing and open_at:
            open_at.pop()
        elif sign == opening:
            open_at.append(place)
    return open_at[0] if open_at else None
