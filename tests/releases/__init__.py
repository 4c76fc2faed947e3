"""Tests of dpbi's releases."""
