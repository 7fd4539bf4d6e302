"""No file names a place of the machine it was written on, or the host of a registry."""

import re
from pathlib import Path

from tests.house.tree import files, finding

# Put together from pieces, so that this file holds none itself.
HOSTS = [
    ("py", "pi.org"),
    ("python", "hosted.org"),
    ("npm", "js.org"),
    ("npm", "js.com"),
    ("yarn", "pkg.com"),
    ("unpkg", ".com"),
    ("jsdelivr", ".net"),
    ("ghcr", ".io"),
    ("docker", ".io"),
    ("crates", ".io"),
    ("proxy.golang", ".org"),
    ("deb.debian", ".org"),
]
PLACES = [("/wo", "rk/"), ("/ro", "ot/"), ("/ho", "me/"), ("../sha", "red"), ("/Us", "ers/")]
OPTIONS = [
    ("--index", "-url"),
    ("--extra-index", "-url"),
    ("--find", "-links"),
    ('"resol', 'ved":'),
]

HOST = re.compile("|".join(rf"\b{re.escape(a + b)}\b" for a, b in HOSTS))
# A path of a machine stands alone; `docs/work/` or `https://host/home/` is something else.
PLACE = re.compile("|".join(rf"(?<![\w./-]){re.escape(a + b)}" for a, b in PLACES))
OPTION = re.compile("|".join(rf"(?<![\w-]){re.escape(a + b)}" for a, b in OPTIONS))


def addresses(root: Path) -> list[str]:
    """Lines that name a machine's path, a registry's host, or an option that records one."""
    found = []
    for path in files(root):
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if HOST.search(line):
                found.append(finding(root, path, number, "names a registry's host"))
            if PLACE.search(line):
                found.append(finding(root, path, number, "names a path of one machine"))
            if OPTION.search(line):
                found.append(finding(root, path, number, "records where packages come from"))
    return found
