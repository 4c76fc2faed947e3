"""The map of the loss over priors: what it says and what its data are."""

import numpy as np
import pytest

from dpbi import local_loss_map
from dpbi.figures import local_loss
from dpbi.figures.chart_data import chart_data


@pytest.mark.parametrize(("n", "said", "contours"), [(None, "loses more than epsilon at 3 of these 4 priors", 2),
                                                     (5, "loses no more than epsilon", 1)])
def test_map(n: int | None, said: str, contours: int) -> None:
    found = local_loss_map(2, n, 0.1, [0.1, 1.0])
    figure = local_loss.over_priors(found)
    assert said in figure.alt
    assert len(figure.data) == contours
    data = chart_data(figure)
    assert data["Prior parameter α 2"][:4] == [0.1, 1.0, 0.1, 1.0]
    assert np.allclose(data["z"][:4], found.ratio.ravel(), rtol=1e-6)
