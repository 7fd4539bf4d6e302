"""Tokens: who may do what, where."""

from typing import TYPE_CHECKING

import click

from pincite.cli.terminal import Group, Terminal, command, say, table
from pincite.errors import InvalidInputError

if TYPE_CHECKING:
    from pincite.domain.grants import Grant, Token


@click.group("token", cls=Group)
def token() -> None:
    """Make, list and revoke the tokens that agents call with."""


@command(
    "create",
    examples=(
        "token create support-agent --grant support:edit",
        "token create reader --grant support:read --grant handbook:read",
        "token create writer --grant support:edit --approval queue --json",
    ),
)
@click.argument("name")
@click.option(
    "--grant",
    "grants",
    required=True,
    multiple=True,
    metavar="KB:GRANT",
    help="read, propose, edit, publish or admin on one knowledge base, or on all as *:GRANT; "
    "on another resource as channel:ID:GRANT, note:ID:GRANT or record:ID:GRANT.",
)
@click.option(
    "--approval",
    type=click.Choice(["direct", "ask", "queue"]),
    default="direct",
    show_default=True,
    help="What happens to its writes: saved at once, asked about, or queued for a person.",
)
@click.option(
    "--expires-at", metavar="DATE-TIME", help="When it ends, such as 2027-01-01T00:00:00Z."
)
def create(
    terminal: Terminal, name: str, grants: tuple[str, ...], approval: str, expires_at: str | None
) -> None:
    """Make a token called NAME. Its secret is printed once and kept nowhere.

    Whoever holds the secret holds the grants. The database keeps a hash of it.
    """
    from pincite.domain.grants import Approval
    from pincite.domain.stamps import Stamp

    until = Stamp.parse(expires_at, "--expires-at") if expires_at else None
    wanted = dict(_grant(text) for text in grants)
    with terminal.opened() as (service, credential):
        known = {
            one.knowledge_base.knowledge_base_id for one in service.list_knowledge_bases(credential)
        }
        for scope in wanted:
            if ":" not in scope and scope != "*" and scope not in known:
                raise InvalidInputError(
                    f"There is no knowledge base {scope}.", field="--grant", limit="KB:GRANT"
                )
        made = service.create_token(
            credential, name, wanted, approval=Approval(approval), expires_at=until
        )
    terminal.tell(
        {
            "token": made.secret,
            "name": name,
            "grants": {scope: grant.word for scope, grant in wanted.items()},
            "expires_at": None if until is None else str(until),
        },
        made.secret,
    )
    if not terminal.as_json:
        say(f"This is the token {name}. It is shown this once: keep it safe.", err=True)


@command("list", examples=("token list",))
def list_(terminal: Terminal) -> None:
    """List every token, revoked ones included. Secrets are not kept and not shown."""
    with terminal.opened() as (service, credential):
        tokens = service.list_tokens(credential)
    data = [_token_object(one) for one in tokens]
    rows = [
        (
            one.name,
            " ".join(f"{scope}:{grant.word}" for scope, grant in one.grants.items()),
            one.approval.value,
            str(one.created_at),
            _end(one),
        )
        for one in tokens
    ]
    terminal.tell(
        {"tokens": data},
        lambda: table(("name", "grants", "approval", "created", "ends"), rows),
    )


@command("revoke", examples=("token revoke support-agent",))
@click.argument("name")
def revoke(terminal: Terminal, name: str) -> None:
    """End the token NAME. The next call with it is refused, on every server."""
    with terminal.opened() as (service, credential):
        service.revoke_token(credential, name)
    terminal.tell({"name": name, "revoked": True}, f"The token {name} holds no longer.")


for _one in (create, list_, revoke):
    token.add_command(_one)


def _grant(text: str) -> tuple[str, "Grant"]:
    from pincite.domain.grants import EVERYWHERE, Grant
    from pincite.domain.ids import parse_id

    scope, colon, word = text.rpartition(":")
    if not colon:
        raise click.BadParameter(
            f"{text} is no KB:GRANT, such as support:edit.", param_hint="--grant"
        )
    if scope != EVERYWHERE:
        parse_id(scope.partition(":")[2] or scope, "--grant")
    return scope, Grant.parse(word, "--grant")


def _token_object(one: "Token") -> dict[str, object]:
    return {
        "name": one.name,
        "grants": {scope: grant.word for scope, grant in one.grants.items()},
        "approval": one.approval.value,
        "created_at": str(one.created_at),
        "expires_at": None if one.expires_at is None else str(one.expires_at),
        "revoked_at": None if one.revoked_at is None else str(one.revoked_at),
    }


def _end(one: "Token") -> str:
    if one.revoked_at:
        return f"revoked {one.revoked_at}"
    return f"expires {one.expires_at}" if one.expires_at else "never"
