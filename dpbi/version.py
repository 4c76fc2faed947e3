"""The version: what a release and a report say they were made with."""

__version__ = "0.1.0"
