"""The longer pages, one file each: what is drawn under the scenario."""
