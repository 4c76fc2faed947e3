"""Tests of dpbi's privacy."""
