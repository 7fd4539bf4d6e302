"""The settings of an experiment."""

import os
from typing import Final

from pincite.app.settings import Settings

INDEX_FOLDER: Final = "PINCITE_INDEX_FOLDER"


def settings_for(db: str) -> Settings:
    """Settings on the database ``db``, which no other setting of the environment changes.

    Figures must not depend on who plays; only where this host keeps search indexes is taken
    over, since it changes none.
    """
    return Settings(db=db, index_folder=os.environ.get(INDEX_FOLDER) or None)
