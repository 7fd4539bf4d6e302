"""One engine: SQLite, in one file."""
