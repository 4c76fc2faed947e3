"""The made-up table of noisy counts: what is drawn of its two readings is what they are, and the title counts it."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpbi.figures.plain_reading import both_readings
from dpbi.inference.plain_reading import Line, plain_reading


def test_the_plain_reading_takes_what_was_published_for_counts() -> None:
    """One value is negative, one was cut at 0 and one withheld; the intervals are those of scipy's Beta."""
    lines = plain_reading()
    assert sum(line.share for line in lines) == pytest.approx(1)
    assert [sum(kind) for kind in zip(*[(
        line.value is None and line.noise.below is not None, line.value == 0 and line.noise.floor == 0,
        line.value is not None and line.value < 0) for line in lines], strict=True)] == [1, 1, 1]  # fmt: skip
    alpha = [1 + max(line.value or 0, 0) for line in lines]
    for line, a in zip(lines, alpha, strict=True):
        law = stats.beta(a, sum(alpha) - a)
        assert (line.plain_mean, *line.plain) == pytest.approx((law.mean(), *law.ppf((0.025, 0.975))), rel=1e-9)


def inside(line: Line, low: float, high: float) -> bool:
    return low <= line.share <= high


def test_the_picture_has_both_readings_and_counts_what_they_miss() -> None:
    lines = plain_reading()
    drawn = {trace.name: trace for trace in both_readings(lines).data}
    plain, aware, true = (drawn[name] for name in ("values taken for true", "allowing for the noise", "true share"))
    assert [*true.x] == pytest.approx([line.share for line in lines], rel=1e-6)
    missed = []
    for trace, ends in ((plain, [line.plain for line in lines]), (aware, [line.aware for line in lines])):
        low, high = np.array(trace.x) - trace.error_x.arrayminus, np.array(trace.x) + trace.error_x.array
        assert np.stack([low, high], axis=1) == pytest.approx(np.array(ends), rel=1e-5, abs=1e-7)
        missed.append(sum(not inside(line, *end) for line, end in zip(lines, ends, strict=True)))
    assert missed[0] > missed[1]
    assert re.findall(r"\d+|none", both_readings(lines).alt.split("Taken for true")[1])[:3] == [
        str(missed[0]), str(len(lines)), str(missed[1] or "none")]  # fmt: skip
    all_missed = [replace(line, aware=(0.9, 0.95)) for line in lines]
    assert "allowing for the noise, 7." in both_readings(all_missed).alt
