"""Tests of dpbi's partition."""
