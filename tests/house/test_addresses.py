from collections.abc import Callable
from pathlib import Path

from tests.house import addresses

Grow = Callable[[dict[str, str]], Path]


def test_no_file_names_a_machine_or_a_registry(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "a.txt": "fine: docs/work/ and https://example.org/home/page\n",
            "b.txt": "see /wo" + "rk/main\n",
            "c.txt": "https://py" + "pi.org/simple\n",
            "requirements/d.txt": "--index" + "-url x\n",
            "tools/e.json": '  "resol' + 'ved": "x"\n',
            "tools/f.json": "registry.npm" + "js.org\n",
        }
    )
    assert addresses.addresses(bad) == [
        "b.txt:1: names a path of one machine",
        "c.txt:1: names a registry's host",
        "requirements/d.txt:1: records where packages come from",
        "tools/e.json:1: records where packages come from",
        "tools/f.json:1: names a registry's host",
    ]
    assert addresses.addresses(repository) == []
