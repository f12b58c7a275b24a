"""XML -> records: Atom feeds of arXiv, records harvested by OAI-PMH, PubMed's exports; any other is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from rag.errors import InputError
from rag.library.records import Record, from_row

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_DECLARED = re.compile(r"<!DOCTYPE\s+[\w:.-]+(?:\s+(?:PUBLIC|SYSTEM|\"[^\"<>]*\"|'[^'<>]*'))*\s*>")
_NAMESPACE = re.compile(r"\{[^{}]*\}")


def is_xml(text: str) -> bool:
    """Tell whether a text is XML or a web page."""
    return re.match(r"<(?:\?xml|!doctype|html|feed|oai|rss|[a-z][\w:-]*\s+xmlns)", text, re.IGNORECASE) is not None


def xml_records(text: str) -> Iterator[Record]:
    """Yield the papers of a feed; raises `InputError` for XML that is none, or is broken."""
    if re.match(r"<(?:!doctype\s+)?html", text, re.IGNORECASE):
        raise InputError("The file is a web page; save the abstracts as text, JSON, CSV, BibTeX or RIS.")
    try:
        root = parsed(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise InputError(f"The file is XML that can't be read ({error}); fetch it again.") from error
    rows = [atom_row(entry) for entry in root.iter(f"{_ATOM}entry")] or [
        _oai_row(record) for record in root.iter(f"{_OAI}record")
    ]
    rows = rows or [_pubmed_row(article) for article in root.iter("PubmedArticle")]
    if not rows and root.tag not in (f"{_ATOM}feed", f"{_OAI}OAI-PMH"):
        raise InputError(
            "The file is XML, but neither arXiv's nor PubMed's; save the abstracts as JSON, CSV, BibTeX or RIS."
        )
    yield from (from_row(row, f"record {number}") for number, row in enumerate(rows, 1))


def parsed(text: str) -> ElementTree.Element:
    """Return the root of an XML text; raises `ValueError` where it declares entities, which a feed never needs.

    The name of a declaration elsewhere, as PubMed's exports have it, declares nothing here, and is never fetched.
    """
    text = _DECLARED.sub("", text, count=1)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("it declares entities, which a feed never needs")
    return ElementTree.fromstring(text)


def atom_row(entry: ElementTree.Element) -> dict[str, Any]:
    """Return what an entry of arXiv's query interface tells."""
    address = (entry.findtext(f"{_ATOM}id") or "").strip()
    identity = address.rpartition("/abs/")[2]
    return {
        "id": re.sub(r"v\d+$", "", identity),
        "title": entry.findtext(f"{_ATOM}title") or "",
        "abstract": entry.findtext(f"{_ATOM}summary") or "",
        "authors": [name.text or "" for name in entry.iter(f"{_ATOM}name")],
        "keywords": [tag.get("term") for tag in entry.iter(f"{_ATOM}category")],
        "published": entry.findtext(f"{_ATOM}published") or "",
        "journal-ref": entry.findtext(f"{_ARXIV}journal_ref") or "",
        "doi": entry.findtext(f"{_ARXIV}doi") or "",
        "url": address,
    }


def _oai_row(record: ElementTree.Element) -> dict[str, Any]:
    """Return what a harvested record tells, in arXiv's own format or in Dublin Core."""
    values: dict[str, list[Any]] = {}
    for element in record.iter():
        name = _NAMESPACE.sub("", element.tag)
        if name == "author":
            parts = {_NAMESPACE.sub("", part.tag): part.text or "" for part in element}
            values.setdefault("author", []).append(f"{parts.get('forenames', '')} {parts.get('keyname', '')}".strip())
        elif (element.text or "").strip():
            values.setdefault(name, []).append((element.text or "").strip())
    first = {name: found[0] for name, found in values.items()}
    deleted = any(header.get("status") == "deleted" for header in record.iter(f"{_OAI}header"))
    return {
        "id": first.get("id") or first.get("identifier", ""),
        "title": first.get("title", ""),
        "abstract": first.get("abstract") or first.get("description", ""),
        "authors": values.get("author") or values.get("creator", []),
        "keywords": first.get("categories") or values.get("subject", []),
        "created": first.get("created") or first.get("date", ""),
        "journal-ref": first.get("journal-ref", ""),
        "doi": first.get("doi", ""),
        "ddate": deleted or None,
    }


def _pubmed_row(article: ElementTree.Element) -> dict[str, Any]:
    """Return what a record of PubMed tells; the parts of a structured abstract keep their labels."""
    parts = [(part.get("Label"), _text_of(part)) for part in article.iterfind(".//Abstract/AbstractText")]
    people = [
        (_text_of(a.find("ForeName")), _text_of(a.find("LastName"))) for a in article.iterfind(".//AuthorList/Author")
    ]
    date = article.find(".//JournalIssue/PubDate")
    return {
        "id": _text_of(article.find(".//PMID")),
        "title": _text_of(article.find(".//ArticleTitle")),
        "abstract": "\n".join(f"{label}: {text}" if label else text for label, text in parts),
        "authors": [f"{given} {family}".strip() for given, family in people],
        "keywords": [_text_of(word) for word in article.iterfind(".//KeywordList/Keyword")],
        "journal": _text_of(article.find(".//Journal/Title")),
        "year": " ".join(date.itertext()) if date is not None else "",
        "doi": next((_text_of(e) for e in article.iter("ELocationID") if e.get("EIdType") == "doi"), ""),
    }


def _text_of(element: ElementTree.Element | None) -> str:
    """Return the text of an element; what is raised or lowered keeps its tags, which are read as in any abstract."""
    return " ".join(_marked(element).split()) if element is not None else ""


def _marked(element: ElementTree.Element) -> str:
    inner = (element.text or "") + "".join(_marked(child) + (child.tail or "") for child in element)
    return f"<{element.tag}>{inner}</{element.tag}>" if element.tag in ("sup", "sub") else inner
