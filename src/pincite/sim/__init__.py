"""The two experiments: a support day from a seed, and a real edit history from git."""
