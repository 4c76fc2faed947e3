"""How far from the truth a release lies: the exact law of the distance, its mean, and both as something varies."""

from dpbi.accuracy.error import METRICS, Evaluate, ExpectedError, Metric, expected_error

__all__ = ["METRICS", "Evaluate", "ExpectedError", "Metric", "expected_error"]
