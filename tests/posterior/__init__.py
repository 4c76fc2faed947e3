"""Tests of dpbi's posterior."""
