from eval.names import coined_names, known, names


def test_names_are_told_by_their_shape():
    found = names("We compare AutoTool, PBS-Attn and UI2Code on POPE, as Sobolev did. The 4K images and a 9B model.")
    assert found == ("AutoTool", "PBS-Attn", "UI2Code", "POPE", "Sobolev")


def test_a_capital_that_opens_a_sentence_or_a_quote_is_no_name():
    assert names('Experiments show it: "Extensive tests. Results follow." I agree.') == ()


def test_coined_names_leave_ordinary_capitals_out():
    assert coined_names("We follow Sobolev with DREAM-R") == ("DREAM-R",)


def test_known_ignores_case_hyphens_and_plural():
    assert known("FlashAttention", ["permuted Flash Attention"])
    assert known("MLLMs", ["an MLLM"])
    assert known("PBS-Attn", ["pbs attn prefill"])
    assert not known("POPE", ["the papers and pop"])
