from eval.reading import read_answer
from rag.types import Citation


def citation(marker: int, quote: str) -> Citation:
    return Citation(marker, "p", "p-0", "title", quote, 0, len(quote))


def test_brackets_of_the_paper_are_no_markers():
    quote = "Extending [3] and [12], we bound x[0] on [0, 1]. It holds."
    reading = read_answer(f'It says: "{quote}" [1] and more [2].', [citation(1, quote)])
    assert reading.markers == (1, 2)
    assert "[3]" in reading.words and "[1]" not in reading.words.replace(quote, "")
    assert "3" not in reading.own_words


def test_a_quote_is_found_when_the_page_escapes_it():
    quote = "Extending [3], file_name gives 2*3. It holds."
    escaped = r"Extending \[3\], file\_name gives 2\*3. It holds."
    reading = read_answer(f"{escaped} [1]", [citation(1, quote)])
    assert reading.markers == (1,)
    assert quote in reading.words
    assert [s.markers for s in reading.sentences] == [(1,)]  # found as a quote, so not cut


def test_a_quote_of_two_sentences_is_one_sentence_with_its_marker():
    quote = "We parse text. It scores 71.4."
    (sentence,) = read_answer(f'"{quote}" [1]', [citation(1, quote)]).sentences
    assert sentence.markers == (1,) and sentence.factual


def test_a_marker_after_the_full_stop_belongs_to_the_sentence_before():
    first, second = read_answer("TARNLEX parses. [1] WEXLE reads [2].", []).sentences
    assert (first.markers, second.markers) == ((1,), (2,))


def test_frames_are_not_factual_and_bare_claims_are():
    text = "Two of 19 abstracts answer this:\n\nTARNLEX scores 71.4 F1.\n\nThe abstract does not say more."
    assert [s.factual for s in read_answer(text, []).sentences] == [False, True, False]


def test_abbreviations_and_decimals_do_not_end_a_sentence():
    assert len(read_answer("It gains 2.5 points, e.g. on A. Reed et al. data.", []).sentences) == 1


def test_the_numerals_of_a_list_are_no_numbers():
    reading = read_answer("These do:\n\n1. TARNLEX parses [1].\n2. WEXLE reads [2].", [])
    assert [s.text for s in reading.sentences] == ["These do:", "TARNLEX parses  .", "WEXLE reads  ."]
    assert not any(c.isdigit() for c in reading.own_words)
