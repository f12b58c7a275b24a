"""Names of people as exports write them -> a list in reading order."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from rag.text.tex import readable

_LONGEST = 100_000  # characters of a list that was written out as text
_SUFFIX = re.compile(r"(?i)(?:jr|sr|ii|iii|iv)\.?")
_PARTS = (("given", "family"), ("first", "middle", "last"), ("firstname", "lastname"), ("forename", "surname"))
_WHOLE = ("name", "fullname", "displayname", "literal")


def author_names(value: Any) -> list[str]:
    """Return people's names in reading order from a list, or from one text in any of the usual punctuations."""
    if isinstance(value, str):
        listed = listed_text(value)
        value = listed if listed is not None else _split_names(value)
    if isinstance(value, Mapping):
        value = list(value.values()) if all(isinstance(v, Mapping) for v in value.values()) else [value]
    if not isinstance(value, list):
        return []
    texts = [name for name in value if isinstance(name, str)]
    if len(texts) == len(value) and all(re.fullmatch(r"[^,]+,[^,]+", name) for name in texts):
        value = [turned(name) for name in texts]
    return names_of([_parsed(n) if isinstance(n, list) else n for n in value], _WHOLE)


def names_of(value: Any, keys: Iterable[str]) -> list[str]:
    """Return the texts of a list, each once; of an object the first of these keys, or the parts of a person's name."""
    items = value if isinstance(value, list) else []
    texts = (_of_object(item, tuple(keys)) if isinstance(item, Mapping) else item for item in items)
    cleaned = (readable(text) for text in texts if isinstance(text, str))
    return list(dict.fromkeys(text for text in cleaned if text))


def _of_object(item: Mapping[Any, Any], keys: tuple[str, ...], depth: int = 0) -> str | None:
    flat = {re.sub(r"[\W_]+", "", str(k)).casefold(): v for k, v in item.items()}
    for key in keys:
        if isinstance(flat.get(key), str) and flat[key].strip():
            return str(flat[key])
    for parts in _PARTS:
        words = [" ".join(map(str, v)) if isinstance(v, list) else str(v) for p in parts if (v := flat.get(p))]
        if flat.get(parts[-1]) and words:
            return " ".join(word for word in words if word.strip())
    inner = flat.get("author")  # OpenAlex: {"author": {"display_name": ...}, "institutions": [...]}
    return _of_object(inner, keys, depth + 1) if isinstance(inner, Mapping) and depth < 2 else None


def _parsed(name: list[Any]) -> str:
    """Return arXiv's `[family, given, suffix]` in reading order."""
    family, given, suffix = ([str(part or "").strip() for part in name] + ["", "", ""])[:3]
    return " ".join(part for part in (given, family, suffix) if part)


def listed_text(value: str) -> list[Any] | None:
    """Return the list that a table wrote out as text, such as `['A. Reed', 'B. Holt']`."""
    value = value.strip()
    if not (value.startswith("[") and value.endswith("]")) or len(value) > _LONGEST:
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return found if isinstance(found, list) else None
    return None


def _split_names(text: str) -> list[str]:
    text = re.sub(r"\s*\((?:[^()]|\([^()]*\))*\)", "", re.sub(r"\s+", " ", text)).strip()  # affiliations
    parts = [p for p in re.split(r"\s*[;|]\s*|,?\s+and\s+|\s+&\s+", text) if p and p.casefold() != "others"]
    separated = re.search("[;|]", text) is not None
    if separated or (len(parts) > 1 and all(re.fullmatch(r"[^,]+,[^,]+", p) for p in parts)) or _inverted(text):
        return [turned(p) for p in parts]
    return [name for part in parts for name in re.split(r"\s*,\s*", part) if name]


def _inverted(name: str) -> bool:
    """Tell whether a text with one comma is one person, family name first: `Reed, A. B.`."""
    return re.fullmatch(r"[^,]+,\s*(?:[^\W\d_]\.[\s-]?)+", name) is not None


def turned(name: str) -> str:
    """Return a name in reading order: `Reed, Anna` is Anna Reed, `Holt, Jr., Bert` is Bert Holt Jr."""
    parts = [part.strip() for part in name.split(",")]
    if len(parts) == 3:
        family, first, second = parts
        if _SUFFIX.fullmatch(first):
            return f"{second} {family} {first}".strip()
        if _SUFFIX.fullmatch(second):
            return f"{first} {family} {second}".strip()
    return f"{parts[1]} {parts[0]}".strip() if len(parts) == 2 else name
