"""Settings come from arguments, else from the environment, else from their defaults."""

import pytest

from pincite.app.settings import Settings
from pincite.domain.grants import Bearer, LocalUser
from pincite.errors import InvalidInputError
from pincite.service.environment import Limits


def test_without_anything_the_defaults_hold() -> None:
    assert Settings.load({}) == Settings(
        db="pincite.db",
        token=None,
        public_url=None,
        allowed_hosts=(),
        allowed_origins=(),
        extensions=True,
        log_reads=True,
        content_limit=1_048_576,
        calls_per_minute=None,
    )


def test_the_environment_sets_what_no_argument_does() -> None:
    environment = {
        "PINCITE_DB": "kb.db",
        "PINCITE_ALLOWED_HOSTS": "kb.example.org, kb:*,",
        "PINCITE_EXTENSIONS": "off",
        "PINCITE_LOG_READS": "",
        "PINCITE_CONTENT_LIMIT": "1000",
        "PINCITE_CALLS_PER_MINUTE": "60",
    }
    found = Settings.load(environment, db="other.db", content_limit=None)
    assert found == Settings(
        db="other.db",
        allowed_hosts=("kb.example.org", "kb:*"),
        extensions=False,
        content_limit=1000,
        calls_per_minute=60,
    )
    assert found.limits == Limits(content=1000, calls_per_minute=60)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PINCITE_EXTENSIONS", "maybe"),
        ("PINCITE_CONTENT_LIMIT", "0"),
        ("PINCITE_CONTENT_LIMIT", "-1"),
        ("PINCITE_CONTENT_LIMIT", "²"),
        ("PINCITE_CALLS_PER_MINUTE", "1.5"),
        ("PINCITE_PUBLIC_URL", "kb.example.org"),
        ("PINCITE_PUBLIC_URL", "kb.example.org:8420"),
        ("PINCITE_PUBLIC_URL", "ftp://kb.example.org"),
        ("PINCITE_PUBLIC_URL", "https://"),
        ("PINCITE_PUBLIC_URL", "https://kb.example.org:x"),
        ("PINCITE_PUBLIC_URL", "https://kb.example.org/?page=1"),
    ],
)
def test_a_variable_that_makes_no_sense_is_named_with_what_it_may_be(name: str, text: str) -> None:
    with pytest.raises(InvalidInputError, match=name) as caught:
        Settings.load({name: text})
    assert caught.value.details["field"] == name
    assert caught.value.details["limit"] in (
        "1 or 0",
        "a whole number of at least 1",
        "http:// or https:// and a host, such as https://kb.example.org",
    )


@pytest.mark.parametrize("url", ["https://kb.example.org", "http://[::1]:8420", "https://a.b/kb/"])
def test_a_public_address_is_kept_as_it_is_given(url: str) -> None:
    assert Settings.load({"PINCITE_PUBLIC_URL": url}).public_url == url


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://u:s3cret@h:5432/d", "postgresql://u@h:5432/d"),
        ("postgres://u:s3:c?r#e@t@a:1,b:2/d?x=y", "postgres://u@a:1,b:2/d?x=y"),
        ("postgresql://h/d?user=u&password=s3cret&x=y", "postgresql://h/d?user=u&x=y"),
        ("postgresql:///d?pass%77ord=s3cret", "postgresql:///d"),
        ("postgresql://u@h:5432/d?sslpassword=s3cret", "postgresql://u@h:5432/d"),
        ("postgresql://h:5432/a@b", "postgresql://h:5432/a@b"),
        ("sqlite:///a:b@c.db", "sqlite:///a:b@c.db"),
        ("a:b@c.db", "a:b@c.db"),
    ],
)
def test_an_address_is_shown_without_its_password(address: str, shown: str) -> None:
    assert Settings(db=address).place == shown


def test_a_token_takes_the_place_of_the_local_user() -> None:
    assert Settings.load({}).credential == LocalUser()
    digest = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"  # SHA-256 of "a"
    assert Settings.load({"PINCITE_TOKEN": "a"}).credential == Bearer(digest)
