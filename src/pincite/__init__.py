"""Pincite: a knowledge base in which every citation is a version stamp.

Importing this package imports nothing else, so that a server started over stdio
answers within a second.
"""

__version__ = "0.1.0"
