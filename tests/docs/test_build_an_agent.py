"""The guide's examples, run as they stand but for the server's port."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.app.serving import http_server
from tests.house.documents import code_blocks

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs/howto/build-an-agent.md"
SHOWN = "http://127.0.0.1:8420"


@dataclass(frozen=True)
class Sample:
    """A server of the sample knowledge base."""

    url: str
    token: str


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[Sample]:
    database = tmp_path / "pincite.db"
    token = ""
    for arguments in (
        ["init", "--kb", "acorn"],
        ["import", str(REPOSITORY / "examples/acorn-support"), "--kb", "acorn", "--publish"],
        ["token", "create", "agent", "--grant", "acorn:edit"],
    ):
        command = [sys.executable, "-m", "pincite", "--db", str(database), *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        token = done.stdout.strip()
    with http_server(database) as server:
        yield Sample(server.url, token)


def blocks(language: str) -> list[str]:
    return [text for page, _, text in code_blocks(REPOSITORY, language) if page == PAGE]


def test_the_examples_are_one_program_that_prints_what_its_comments_say(
    sample: Sample, tmp_path: Path
) -> None:
    program = "".join(blocks("python")[:4]).replace(SHOWN, sample.url)
    assert sample.url in program
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PINCITE_TOKEN": sample.token},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = [
        "Refund policy | returns/refund-policy",
        "saved True True",
        "True True",
        "saved",
        "current -> changed",
        "How long can I send it back?",
    ]
    assert done.stdout.splitlines() == told
    assert re.findall(r"print\(.*\)  # (.+)", program) == told


def test_the_request_for_curl_is_answered(sample: Sample) -> None:
    [shown] = blocks("sh")
    line = shown.replace("\\\n", "").replace(SHOWN, sample.url)
    command, url, *options = shlex.split(line)
    given = [*zip(options[::2], options[1::2], strict=True)]
    assert (command, {flag for flag, _ in given}) == ("curl", {"-H", "-d"})
    headers = [value.split(": ", 1) for flag, value in given if flag == "-H"]
    [body] = [value for flag, value in given if flag == "-d"]
    sent = {name: value.replace("$PINCITE_TOKEN", sample.token) for name, value in headers}
    answer = httpx2.post(url, content=body, headers=sent)
    assert answer.status_code == 200, answer.text
    (first, *_) = json.loads(answer.text)["result"]["structuredContent"]["results"]
    assert first["article_id"] == "returns/refund-policy"
