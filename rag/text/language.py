"""Whether a question is in English, the one language that the embedded model and the rules read. Pure.

A handful of function words a language is enough to tell (Cavnar and Trenkle's n-grams need more text than a question has).
"""

from __future__ import annotations

import re

from rag.text.words import fold, tokens

_FUNCTION_WORDS = {
    "French": "le la les des du une est sont quel quelle quels quelles combien comment pourquoi pour dans avec sur qui que "
    "au aux ce cette il elle et ou de en par pas plus sans où quand leur leurs ses",
    "German": "der die das den dem ein eine ist sind wie viele warum welche welcher welches was wer für mit auf von zu und "
    "oder nicht im bei um werden wird hat als sich einer eines einen einem am zum zur aus nach es sie wo wann haben wurde",
    "Spanish": "el los las una es son qué que cuál cuántos cuántas cómo por para con sobre del de en y o no más se al su "
    "la un",
    "Italian": "il lo gli una è sono che quale quali quanti quante come perché per con su del della dei di e o non più nel "
    "la un si",
    "Portuguese": "o os as uma é são que qual quais quantos quantas como por para com sobre do da dos das de e ou não mais "
    "um no na em",
    "Dutch": "de het een is zijn hoe wat welke waarom voor met op van en of niet meer door wordt hoeveel dat die",
    "Welsh": "y yr yn sut beth pa faint pam mae sydd ar gyfer gan o i neu ydy yw wedi eu",
}
# One of these alone tells the language: what begins a question, and is no English word.
_ASKING = frozenset(
    fold(word)
    for word in "combien quel quelle quels quelles lequel laquelle pourquoi warum wieso weshalb wieviel wieviele welche "
    "welcher welches welchen welchem cuántos cuántas cuánto cuánta cuál cuáles dónde cuándo quién quiénes quale quali "
    "quanti quante quanto quanta perché dove qual quais quantos quantas onde quando quem waarom hoeveel welke wanneer".split()
)
_ENGLISH = frozenset(
    [
        "the",
        "of",
        "and",
        "is",
        "are",
        "what",
        "which",
        "how",
        "why",
        "who",
        "does",
        "do",
        "did",
        "in",
        "on",
        "for",
        "with",
        "to",
        "from",
        "by",
        "an",
        "it",
        "that",
        "this",
        "there",
        "can",
        "many",
        "much",
        "paper",
        "papers",
        "method",
        "model",
        "when",
        "where",
        "was",
        "were",
        "has",
        "have",
        "be",
        "or",
        "not",
        "any",
        "about",
        "as",
        "we",
        "our",
        "tell",
        "me",
        "than",
        "they",
    ]
)
_OTHERS = tuple(frozenset(fold(word) for word in words.split()) for words in _FUNCTION_WORDS.values())
_OTHER_SCRIPT = re.compile(
    r"[\u0370-\u03ff\u0400-\u052f\u0590-\u06ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)


def is_english(text: str) -> bool:
    """Tell whether a question reads as English; in doubt it does."""
    letters = [c for c in text if c.isalpha()]
    if not letters:
        return True
    if sum(bool(_OTHER_SCRIPT.match(c)) for c in letters) > 0.2 * len(letters):
        return False
    if "¿" in text or "¡" in text:
        return False
    words = [t.text for t in tokens(text)]
    english = sum(w in _ENGLISH for w in words)
    other = max(sum(w in common for w in words) for common in _OTHERS) + sum(w in _ASKING for w in words)
    return other < 2 or other <= english


def without_function_words(text: str) -> str:
    """Return a question of another language without the words that every text of that language holds."""
    common = frozenset().union(*_OTHERS)
    return " ".join(text[t.start : t.end] for t in tokens(text) if t.text not in common)
