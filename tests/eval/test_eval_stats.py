import pytest

from eval.stats import auroc, bootstrap, bootstrap_mean, wilson


def test_wilson_by_hand():
    # 8 of 10, z = 1.96: Brown, Cai and DasGupta (2001) give 0.490 to 0.943
    interval = wilson(8, 10)
    assert (interval.low, interval.high) == pytest.approx((0.4902, 0.9433), abs=1e-3)


def test_wilson_at_the_ends_stays_inside_and_keeps_its_width():
    assert wilson(0, 20).low == 0
    assert wilson(0, 20).high == pytest.approx(0.1611, abs=1e-3)
    assert wilson(20, 20).high == 1
    assert wilson(20, 20).low == pytest.approx(0.8389, abs=1e-3)


def test_bootstrap_is_the_same_twice_and_brackets_the_mean():
    values = [0.0, 0.5, 1.0, 1.0, 0.25, 0.75] * 10
    first, second = bootstrap_mean(values), bootstrap_mean(values)
    assert first == second
    assert first.low < sum(values) / len(values) < first.high
    assert bootstrap(values, lambda rows: sum(rows) / len(rows)) == first


def test_auroc_by_hand():
    # right: .9 .8 .4, wrong: .8 .3; pairs: 1+1, .5+1, 0+1 of 6
    pairs = [(0.9, True), (0.8, True), (0.4, True), (0.8, False), (0.3, False)]
    assert auroc(pairs) == pytest.approx(4.5 / 6)
    assert auroc([(0.9, True), (0.1, True)]) is None
