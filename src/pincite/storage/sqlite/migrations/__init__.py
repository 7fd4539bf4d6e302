"""What brings an older file to the present schema."""
