"""What a server offers, and to whom, by its settings."""

from pincite.app.settings import Settings
from pincite.mcp_server.server import Options
from pincite.wire.results import Permalink, no_permalink


def options_of(settings: Settings) -> Options:
    """What a server with these settings offers."""
    permalink: Permalink = no_permalink
    if settings.public_url:
        from pincite.web.addresses import permalinks

        permalink = permalinks(settings.public_url)
    return Options(
        extensions=settings.extensions,
        permalink=permalink,
        log_reads=settings.log_reads,
        embedded=not settings.db.startswith(("postgres://", "postgresql://")),
    )
