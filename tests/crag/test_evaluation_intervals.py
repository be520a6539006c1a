import math

import pytest

from crag.evaluation.intervals import at_most, clopper_pearson, lower_bound, upper_bound


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        (0, 10, 0.0, 0.3085),
        (5, 10, 0.1871, 0.8129),
        (10, 10, 0.6915, 1.0),
        (1, 20, 0.0013, 0.2487),
        (81, 263, 0.2527, 0.3676),
    ],
)
def test_the_interval_is_that_of_the_tables(count: int, total: int, low: float, high: float) -> None:
    """0/10 and 10/10 have closed forms; 81/263 is an example of Newcombe (1998)."""
    found = clopper_pearson(count, total)
    assert found == pytest.approx((low, high), abs=6e-5)


def test_no_error_in_59_bounds_the_rate_at_5_percent() -> None:
    """The rule of three: 0.95 ** 59 is the first power below 0.05."""
    assert upper_bound(0, 59) < 0.05 < upper_bound(0, 58)
    assert upper_bound(0, 59) == pytest.approx(1 - 0.05 ** (1 / 59))


def test_without_draws_nothing_is_known() -> None:
    assert clopper_pearson(0, 0) == (0.0, 1.0)
    assert (lower_bound(0, 0), upper_bound(0, 0)) == (0.0, 1.0)


@pytest.mark.parametrize("rate", [0.01, 0.3, 0.5, 0.97])
@pytest.mark.parametrize("total", [1, 7, 40])
def test_the_tail_is_the_sum_of_its_terms(rate: float, total: int) -> None:
    for count in range(total + 1):
        exact = math.fsum(math.comb(total, k) * rate**k * (1 - rate) ** (total - k) for k in range(count + 1))
        assert at_most(count, total, rate) == pytest.approx(exact, abs=1e-12)


def test_bounds_hold_for_a_hundred_thousand_draws() -> None:
    low, high = clopper_pearson(5_000, 100_000)
    assert low < 0.05 < high
    assert high - low == pytest.approx(2 * 1.96 * math.sqrt(0.05 * 0.95 / 100_000), rel=0.02)
