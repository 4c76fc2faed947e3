"""Tests of dpbi's sensitivity."""
