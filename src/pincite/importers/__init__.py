"""Reads files of other tools and writes files for them; knows nothing of storage."""
