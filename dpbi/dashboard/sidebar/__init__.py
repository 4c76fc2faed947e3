"""What a person enters: data, prior, privacy, and the controls of single pages."""
