"""The ``pincite`` command: one file per noun, each imported when it is called."""
