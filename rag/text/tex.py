r"""Source text of an abstract (TeX, Markdown, plain) to the one readable text that everything quotes from.

What has a plain Unicode form gets it (`21.8\%`, `$\mathbf{2.75\times}$`, `\"{a}`, `**bold**`); formulas stay
formulas (`$O(N^2)$`); addresses stay whole; macros that are not known are kept as they stand.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

from rag.text.markup import plain

_SUPERSCRIPT = dict(zip("0123456789+-=()nixTNABDEGHIJKLMOPRUVW", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣᵀᴺᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴼᴾᴿᵁⱽᵂ", strict=True))
_SUBSCRIPT = dict(zip("0123456789+-=()aeijnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₙₒₚᵣₛₜᵤᵥₓ", strict=True))

_COMBINING = dict(
    zip(
        "\"'`^~=.uvHtcdbkr",
        "\u0308\u0301\u0300\u0302\u0303\u0304\u0307\u0306\u030c\u030b\u0361\u0327\u0323\u0331\u0328\u030a",
        strict=True,
    )
)
_WRAPPERS = (
    r"textit|textbf|texttt|textsc|textrm|textsf|textup|textnormal|emph|underline|text|mathbf|mathrm|mathit|mathsf|bm|"
    r"boldsymbol"
)
_UNLISTED = {"textless": "<", "textgreater": ">", "textbar": "|"}  # symbols that pylatexenc 2 has no text for
_BRACED = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
# The space behind a control word such as \i or \o ends it and is not printed.
_ACCENT = r"""\\(?:["'`^~=.](?:\{\\?[A-Za-z]\}|\\[ij]\s+(?=[a-z])|\\?[A-Za-z])|[uvHtcdbkr]\{[A-Za-z]{1,2}\})"""
_LETTER = r"\\(?:ss|[aA][eE]|[oO][eE]|aa|AA|[oOlLij])"
_HREF = re.compile(r"\\href\{([^{}]*)\}\s*\{([^{}]*)\}")

_PIECE = re.compile(
    rf"""
    (?=[\\$*`~{{-]|http)(?:                                         # what none of these begins is passed over at once
    \\(?:url|href){_BRACED}                                         # 1 an address in TeX
  | (https?://[^\s<>"{{}}]+)                                        # 2 a bare address
  | (\$\$.+?\$\$|\$\\[A-Za-z]+\$|\$(?=[^\s$])(?:[^$\\]|\\.)*?(?<=[^\s])\$(?!\d))  # 3 a formula, no money
  | \\(?:{_WRAPPERS}){_BRACED}                                      # 4 a font
  | (\{{\\[%&\#_$]\}}|\\[%&\#_$])                                     # 5 an escaped character, braced or not
  | (\{{{_ACCENT}\}}|{_ACCENT})                                      # 6 an accent, braced or not
  | (\{{{_LETTER}\}}|{_LETTER}(?:\{{\}}|\s+(?=[a-z]))|\{{\\[A-Za-z]+\}}|\\[A-Za-z]+)     # 7 a letter, or another macro
  | (?<![\w*])\*\*(?=[^\s*])([^*]+?)(?<=[^\s])\*\*                  # 8 Markdown bold
  | (?<![\w*\\])\*(?=[^\s*])([^*\n]+?)(?<=[^\s])\*(?![\w*])         # 9 Markdown italics
  | (?:``|\{{``\}})(.{{1,400}}?)(?:''|\{{''\}})                             # 10 TeX double quotes
  | (?<![\w`])`([^`'\n]+)'(?!\w)                                    # 11 TeX single quotes
  | `([^`\n]+)`                                                     # 12 Markdown code
  | (?<=[^\s-])(---?)(?=[^\s-])                                     # 13 a dash
  | \{{\\(?:em|it|bf|sl|sc|tt|rm|sf)\s+((?:[^{{}}]|\{{[^{{}}]*\}})*)\}}  # 14 a font of old TeX
  | (?<=[A-Za-z.])~(?=[A-Za-z\d\\$])                                # a tie
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_MARKED = re.compile(r"[\\$*`~]|--|http")  # a text without any of these has no piece to convert
_HYPHEN_BREAK = re.compile(r"\b(\w+)-\s*\n\s*([a-z]\w*)")
_PLAIN_MATH = re.compile(r"[\d\s.,:/%+\-−×≈≃∼~↑↓→←±∓<>≤≥≪≫=()kKMBx]+")


def readable(source: str) -> str:
    """Return the text people read and quote: one line, no markup, nothing lost.

    Raises nothing: what can't be understood is kept as it stands.
    """
    text = _one_line(_join_lines(plain(source)))
    text = _one_line(_convert(text)) if _MARKED.search(text) else text
    return source if text == source else text  # one string, not two, of most of a large file's abstracts


def _one_line(text: str) -> str:
    """Return a text with one space wherever it has white space: how it was wrapped must not change how it reads."""
    return " ".join(text.split())


def _join_lines(text: str) -> str:
    """Join words that a line break hyphenated; a compound that the text writes with its hyphen elsewhere keeps it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\n" not in text:
        return text

    def join(match: re.Match[str]) -> str:
        left, right = match.groups()
        compound = f"{left}-{right}"
        return compound if compound.casefold() in text.casefold() else left + right

    return _HYPHEN_BREAK.sub(join, text)


def _convert(text: str) -> str:
    return _PIECE.sub(_replace, _HREF.sub(r"\2 (\\url{\1})", text))


def _replace(match: re.Match[str]) -> str:
    kind = match.lastindex
    piece = match.group()
    inner = match.group(kind) if kind else ""
    if kind in (1, 2):
        return inner
    if kind == 3:
        return _convert_math(piece, match.string[: match.start()])
    if kind in (4, 8, 9, 14):
        return _convert(inner)
    if kind == 5:
        return inner.strip("{}\\")
    if kind == 6:
        return _accent(piece)
    if kind == 7:
        return _symbol(piece)
    if kind == 10:
        return f"“{_convert(inner)}”"
    if kind == 11:
        return f"‘{_convert(inner)}’"
    if kind == 12:
        return inner
    if kind == 13:
        return "—" if inner == "---" else "–"
    return " "


def _convert_math(formula: str, before: str) -> str:
    """Return a formula's plain form where it is only a figure or a raised or lowered mark, else the formula itself."""
    inner = formula.strip("$").strip()
    script = re.fullmatch(rf"([\^_])(?:{_BRACED}|(\w))", inner)
    if script and (before[-1:].isalnum() or before[-1:] == ")"):
        table = _SUPERSCRIPT if script.group(1) == "^" else _SUBSCRIPT
        letters = _unwrap(script.group(2) or script.group(3))
        if letters and all(c in table for c in letters):
            return "".join(table[c] for c in letters)
    plain = re.sub(r"\\([%&#_])", r"\1", _unwrap(inner))
    plain = re.sub(r"\\[A-Za-z]+", lambda m: _symbol(m.group()), plain).replace("{,}", ",")
    if _PLAIN_MATH.fullmatch(plain) and re.search(r"[\d×≈↑↓±→∼%]", plain):
        return re.sub(r"\s*×\s*", "×", plain)
    return formula


def _unwrap(text: str) -> str:
    wrapped = re.compile(rf"\\(?:{_WRAPPERS}){_BRACED}")
    while wrapped.search(text):
        text = wrapped.sub(lambda m: m.group(1), text)
    return text


def _accent(macro: str) -> str:
    """Return the letter that an accent macro makes, composed; the macro itself where Unicode has no such letter."""
    bare = macro[1:-1] if macro.startswith("{") else macro
    mark, letter = bare[1], re.sub(r"[{}\\\s]", "", bare[2:])
    letter = {"i": "i", "j": "j"}.get(letter, letter)
    composed = unicodedata.normalize("NFC", letter[:1] + _COMBINING[mark]) + letter[1:]
    return composed if len(composed) == len(letter) else macro


def _symbol(macro: str) -> str:
    r"""Return the character of a symbol macro such as `\alpha`; one that is not known, or takes arguments, is kept."""
    name = macro.strip("\\{} \t\n")
    text = _UNLISTED.get(name) or getattr(_symbols().get_macro_spec(name), "simplify_repl", None)
    return text if isinstance(text, str) and 0 < len(text) <= 2 and "%" not in text else macro


@lru_cache(maxsize=1)
def _symbols() -> Any:
    # Only indexing needs the tables, so only indexing pays for the import.
    from pylatexenc.latex2text import get_default_latex_context_db

    return get_default_latex_context_db()
