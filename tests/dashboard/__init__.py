"""Tests of dpbi's dashboard."""
