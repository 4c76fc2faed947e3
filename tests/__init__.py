"""The tests: a folder for each room of dpbi, and on top what serves them all."""
