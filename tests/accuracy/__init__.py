"""Tests of dpbi's accuracy."""
