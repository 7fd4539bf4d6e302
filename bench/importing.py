"""A folder of Markdown, imported by the command, once and again."""

import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.material import Material
from bench.rows import Row
from bench.servers import PINCITE


def measure(scale: float) -> Sequence[Row]:
    """Articles per second, the process's start included."""
    count = int(2000 * scale)
    with tempfile.TemporaryDirectory(prefix="pincite-bench-") as folder:
        texts = Path(folder) / "texts"
        texts.mkdir()
        for article_id, text in Material().articles(count):
            (texts / f"{article_id}.md").write_text(f"# {text.title}\n\n{text.content}")
        command = [*PINCITE, "--db", str(Path(folder) / "pincite.db")]
        subprocess.run([*command, "init", "--kb", "kb", "--title", "KB"], check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        first, again = (_seconds(command, texts) for _ in range(2))
    return [
        Row(f"import of {count:,} articles", count / first, "/s"),
        Row("import again, nothing changed", count / again, "/s", ratio=first / again,
            against="the first import"),
    ]  # fmt: skip


def _seconds(command: list[str], texts: Path) -> float:
    begin = time.perf_counter()
    subprocess.run(
        [*command, "import", str(texts), "--kb", "kb", "--publish"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - begin
