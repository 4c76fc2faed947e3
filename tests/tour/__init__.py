"""Tests of the tour's scenes."""
