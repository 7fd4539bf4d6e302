"""The replay: a git repository's real history, saved again on the real product."""
