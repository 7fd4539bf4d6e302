"""Pincite: a knowledge base that people write and AI agents answer from.

Every citation is a version stamp: a read returns ``{knowledge_base_id, article_id, updated_at}``,
and the same ``updated_at`` is the version that an edit must name. The package itself imports
nothing, so that a command pays only for the rooms it enters.
"""

__version__ = "0.1.0"
