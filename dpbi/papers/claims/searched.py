"""What the search for counter-examples looked at, written by ``python -m tests.papers.search``.

By claim: the number of settings that decide it, the ends between which each of its inputs lay, and how many of the
first 12 settings those are, by which a test sees that this is still so.
"""

SEARCHED: dict[str, tuple[int, dict[str, tuple[float, float]], int]] = {
    "S lies between the local and the global sensitivity":
        (416, {"prior": (0.011, 2000.0), "k": (2, 5), "n": (1, 255107), "gamma": (0.01, 1.0)}, 6),
    "LSZhang keeps epsilon":
        (800, {"k": (2, 5), "n": (1, 258055), "epsilon": (0.05, 11.8)}, 12),
    "The tail of Laplace noise":
        (800, {"epsilon": (0.05, 12.0)}, 12),
    "LSHist within k steps":
        (212, {"prior": (0.01, 1690.0), "k": (1, 2), "n": (4, 124), "epsilon": (0.01, 12.0)}, 0),
}
