"""What a page shows: charts, tables, numbers at a glance, and each one's download."""
