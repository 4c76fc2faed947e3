"""The library's answers to the scenario, kept between runs."""
