"""Tests of dpbi's problem."""
