"""A real browser, and a real server whose pages it opens."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
MODULES = ROOT / "tools/node/node_modules"
CHROMIUM = MODULES / ".chromium"
AXE = MODULES / "axe-core/axe.min.js"


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """Chromium, with the libraries and fonts that it was unpacked with."""
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(CHROMIUM / "al2023/lib"),
        "FONTCONFIG_FILE": str(CHROMIUM / "fonts/fonts.conf"),
    }
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=CHROMIUM / "chromium",
            env=dict(environment),
            # Root may not have its sandbox; the pages are our own.
            args=["--no-sandbox", "--headless", "--disable-gpu"],
        )
        yield opened
        opened.close()


@contextlib.contextmanager
def served(db: Path) -> Iterator[str]:
    """The address that a server prints, for as long as it runs."""
    command = [sys.executable, "-m", "pincite", "--db", str(db), "serve", "--http", "127.0.0.1:0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout
    try:
        line = server.stdout.readline()
        assert line.startswith("Open http://127.0.0.1:")
        yield line.removeprefix("Open ").strip()
    finally:
        server.terminate()
        server.wait(timeout=30)
        server.stdout.close()


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong with a page."""
    found = page.evaluate(f"{AXE.read_text('utf-8')};axe.run()")
    assert len(found["passes"]) > 10
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]}"
        for one in found["violations"]
        for node in one["nodes"]
    ]
