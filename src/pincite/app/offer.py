"""What a server offers, and to whom, by its settings."""

from pincite.app.settings import Settings
from pincite.mcp_server.server import Options


def options_of(settings: Settings) -> Options:
    """What a server with these settings offers."""
    return Options(
        extensions=settings.extensions,
        log_reads=settings.log_reads,
        embedded=not settings.db.startswith(("postgres://", "postgresql://")),
    )
