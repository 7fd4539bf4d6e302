import hashlib
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.cli.conftest import Run


def test_a_token_is_told_once_and_listed_without_its_secret(kb: Run) -> None:
    made = kb("token", "create", "agent", "--grant", "kb:edit", "--json").json
    secret = made.pop("token")
    assert made == {"name": "agent", "grants": {"kb": "edit"}, "expires_at": None}
    assert len(secret) >= 22
    listed = kb("token", "list", "--json")
    assert secret not in listed.out
    (token,) = listed.json["tokens"]
    assert (token["name"], token["grants"], token["approval"]) == (
        "agent",
        {"kb": "edit"},
        "direct",
    )
    assert kb("token", "list").out.startswith("agent\tkb:edit\tdirect\t")


def test_the_secret_alone_is_on_standard_output_and_the_remark_beside_it(kb: Run) -> None:
    made = kb("token", "create", "agent", "--grant", "kb:read")
    assert made.out.strip().isalnum()
    assert made.err == "This is the token agent. It is shown this once: keep it safe.\n"


@pytest.mark.spec("ACC-3")
def test_the_database_keeps_a_hash_of_the_secret_and_never_the_secret(
    kb: Run, tmp_path: Path
) -> None:
    secret = kb("token", "create", "agent", "--grant", "kb:read", "--json").json["token"]
    with closing(apsw.Connection(str(tmp_path / "pincite.db"))) as connection:
        (digest,) = connection.execute("SELECT digest FROM token").fetchall()
    assert digest == (hashlib.sha256(secret.encode()).hexdigest(),)
    for path in tmp_path.iterdir():
        assert secret.encode() not in path.read_bytes()


def test_grants_approval_and_end_are_kept_as_told(kb: Run) -> None:
    made = kb(
        *("token", "create", "all", "--grant", "*:read", "--grant", "kb:edit", "--grant"),
        *("channel:general:admin", "--approval", "queue", "--expires-at"),
        *("2027-01-01T01:00:00+01:00", "--json"),
    ).json
    assert made["grants"] == {"*": "read", "kb": "edit", "channel:general": "admin"}
    assert made["expires_at"] == "2027-01-01T00:00:00.000Z"
    (token,) = kb("token", "list", "--json").json["tokens"]
    assert (token["approval"], token["expires_at"]) == ("queue", "2027-01-01T00:00:00.000Z")


@pytest.mark.parametrize(
    ("grant", "code"),
    [
        ("kb", 2),
        ("kb:write", 1),
        ("other:read", 1),
        (":read", 1),
        ("a b:read", 1),
    ],
)
def test_a_grant_that_is_none_makes_no_token(kb: Run, grant: str, code: int) -> None:
    ran = kb("token", "create", "agent", "--grant", grant)
    assert (ran.code, ran.out) == (code, "")
    assert "--grant" in ran.err or "knowledge base" in ran.err
    assert kb("token", "list").out == ""


def test_a_name_is_taken_until_its_token_is_revoked(kb: Run) -> None:
    create = ("token", "create", "agent", "--grant", "kb:read")
    assert kb(*create).code == 0
    assert kb(*create, "--json").error["details"]["field"] == "name"
    assert kb("token", "revoke", "agent").out == "The token agent holds no longer.\n"
    assert kb("token", "revoke", "agent", "--json").error["code"] == "not_found"
    assert kb(*create).code == 0


@pytest.mark.spec("ACC-2")
def test_a_revoked_token_is_refused_at_the_next_call(
    kb: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = kb("token", "create", "agent", "--grant", "kb:read", "--json").json
    monkeypatch.setenv("PINCITE_TOKEN", made["token"])
    assert kb("search", "kb", "words").code == 0
    monkeypatch.delenv("PINCITE_TOKEN")
    kb("token", "revoke", "agent")
    monkeypatch.setenv("PINCITE_TOKEN", made["token"])
    assert kb("search", "kb", "words", "--json").error["code"] == "unauthenticated"


@pytest.mark.parametrize(
    "command",
    [
        ("backup", "b.db"),
        ("restore", "kept.db", "--replace"),
        ("doctor",),
        ("store", "migrate"),
        ("store", "check"),
        ("store", "copy", "b.db", "--kb", "kb"),
        ("store", "compact", "--keep-events", "0"),
        ("simulate", "--db", "b.db"),
        ("replay", ".", "--db", "b.db"),
    ],
)
def test_no_token_opens_the_database_itself(
    kb: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    secret = kb("token", "create", "agent", "--grant", "kb:admin", "--json").json["token"]
    kb("backup", "kept.db")
    before = sorted(path.name for path in tmp_path.glob("*.db*"))
    monkeypatch.setenv("PINCITE_TOKEN", secret)
    ran = kb(*command)
    assert (ran.code, ran.out) == (1, "")
    assert "works on the database itself, and no token opens that: unset PINCITE_TOKEN" in ran.err
    assert sorted(path.name for path in tmp_path.glob("*.db*")) == before
    monkeypatch.delenv("PINCITE_TOKEN")
    assert kb("article", "new", "kb", "a", typed=b"text").code == 0  # it is not sealed


def test_a_refused_token_is_denied_for_programs(kb: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINCITE_TOKEN", "secret")
    error = kb("store", "compact", "--json").error
    assert (error["code"], error["details"]) == ("denied", {"action": "pincite store compact"})
