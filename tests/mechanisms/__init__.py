"""Tests of dpbi's mechanisms."""
