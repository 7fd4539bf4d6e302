"""Lets ``python -m pincite`` stand for the ``pincite`` command."""

from pincite.cli.main import main

if __name__ == "__main__":
    main()
