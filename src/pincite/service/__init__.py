"""Use cases: each asks the store, lets the domain decide, and answers. One file per activity."""
