"""Where counts come from: files that people bring, bundled examples, and counts made to order."""
