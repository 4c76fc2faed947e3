"""Tests of dpbi's inference."""
