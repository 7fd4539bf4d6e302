"""Wires the rooms together; the only room that opens a store."""
