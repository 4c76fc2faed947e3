"""Tests of dpbi's figures."""
