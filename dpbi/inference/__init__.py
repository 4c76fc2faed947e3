"""What a reader of a release may believe: the naive posterior, and the one that knows about the noise."""
