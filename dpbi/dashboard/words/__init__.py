"""Every sentence that the pages say, and how a failure is said."""
