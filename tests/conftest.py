"""How the tests run: warnings are errors (an unregistered marker is one), slow tests wait for --slow.

The top level holds no pytest ini file, so everything is set here.

Hypothesis profiles: "fast", the default, draws the same few examples on every machine; "thorough"
draws many new ones (`--hypothesis-profile=thorough`).
"""

import pytest
from hypothesis import HealthCheck, settings

# The time of an example is that of brute force, which is slow by intention.
settings.register_profile(
    "fast",
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", parent=settings.get_profile("fast"), max_examples=500, derandomize=False
)
settings.load_profile("fast")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests marked slow")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than a few seconds; runs with --slow only")
    config.addinivalue_line("markers", "browser: drives a real Chromium")
    config.addinivalue_line("filterwarnings", "error")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--slow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="slow: runs with --slow"))
