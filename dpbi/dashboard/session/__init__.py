"""What a person's session holds between runs, and what the page's address says."""
