"""What a mechanism keeps private, exactly: its loss, where it is attained, and whether its promise holds."""
