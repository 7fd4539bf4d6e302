"""The page that a person opens first: what is served, and how to connect an agent."""

import secrets

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pincite import __version__
from pincite.domain.grants import LocalUser
from pincite.service.knowledge_base import Service

_UNSEEN = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}


def start_route(service: Service, token: str) -> Route:
    """The page, for whoever was told the token: the person who started the server."""

    def start(request: Request) -> Response:
        given = request.query_params.get("token", "")
        if not secrets.compare_digest(given.encode(), token.encode()):
            told = "This address has no valid token. The server printed one when it started.\n"
            return PlainTextResponse(told, status_code=403, headers=_UNSEEN)
        return PlainTextResponse(_told(service, str(request.base_url)), headers=_UNSEEN)

    return Route("/start", start)


def _told(service: Service, address: str) -> str:
    found = [one.knowledge_base for one in service.list_knowledge_bases(LocalUser())]
    lines = [f"Pincite {__version__} serves {address}mcp to agents.", "", "Knowledge bases:"]
    lines += [
        f"  {one.knowledge_base_id}: {one.title}, {one.article_count} published" for one in found
    ] or ["  none yet: pincite init --kb ID"]
    name = found[0].knowledge_base_id if found else "ID"
    lines += [
        "",
        "To connect an agent, make a token for it and let it print what to do:",
        f"  pincite token create my-agent --grant {name}:read",
        f"  pincite connect claude-code --http {address}mcp --token TOKEN",
        "",
    ]
    return "\n".join(lines)
