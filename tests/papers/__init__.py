"""Tests of dpbi's papers."""
