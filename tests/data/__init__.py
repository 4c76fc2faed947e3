"""Tests of dpbi's data."""
