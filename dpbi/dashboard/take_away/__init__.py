"""What a person takes along or brings back: settings, link, script and report."""
