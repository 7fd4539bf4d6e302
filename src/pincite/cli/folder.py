"""Folders of Markdown, in and out."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.cli.terminal import Terminal, command, plural, progress, say
from pincite.errors import NotFoundError

if TYPE_CHECKING:
    from pincite.domain.documents import ExportedArticle, Finding
    from pincite.importers.folder import Written
    from pincite.service.importing import ImportReport

_EXPLAINED = ("conflict", "kept", "merged", "removed", "withdrawn")
"""What became of an article that people should look at one by one."""


@command(
    "import",
    examples=(
        "import docs --kb handbook --dry-run",
        "import docs --kb handbook --publish",
        "import docs --kb handbook --publish --withdraw-removed",
    ),
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--kb", required=True, metavar="ID", help="The knowledge base to bring up to date.")
@click.option("--publish", is_flag=True, help="Publish what does not call itself a draft.")
@click.option("--withdraw-removed", is_flag=True, help="Withdraw articles whose file is gone.")
@click.option("--dry-run", is_flag=True, help="Tell what would be done, and write nothing.")
def import_folder(
    terminal: Terminal, folder: Path, kb: str, publish: bool, withdraw_removed: bool, dry_run: bool
) -> None:
    """Bring a knowledge base up to date with a FOLDER of Markdown.

    Do so again whenever the folder has changed. An article's title is the front matter's,
    else the first heading, else the file's name; its id the path without the ending, unless
    the front matter gives one. Only what changed is written. An article that was changed here
    is merged with its file or reported as a conflict, never overwritten; with a conflict the
    command exits with 1.
    """
    from pincite.domain.ids import parse_knowledge_base_id
    from pincite.importers.folder import read_folder
    from pincite.service.importing import ImportOptions

    knowledge_base_id = parse_knowledge_base_id(kb, "--kb")
    source = read_folder(folder, terminal.settings().content_limit)
    options = ImportOptions(publish, withdraw_removed, dry_run)
    with (
        terminal.opened() as (service, credential),
        progress("Importing", len(source.documents)) as advance,
    ):
        try:
            report = service.import_documents(
                credential, knowledge_base_id, source, options, advance
            )
        except NotFoundError:
            raise NotFoundError(
                f"There is no knowledge base {kb}. Make it with: pincite init --kb {kb}"
            ) from None
    counts = Counter(entry.status.value for entry in report.entries)
    terminal.tell(
        _report_object(report, counts, dry_run=dry_run),
        lambda: _print_report(report, counts, dry_run=dry_run),
    )
    if counts["conflict"]:
        raise click.exceptions.Exit(1)


@command("export", examples=("export out --kb handbook", "export out --kb handbook --drafts"))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--kb", required=True, metavar="ID", help="The knowledge base to export.")
@click.option(
    "--drafts",
    is_flag=True,
    help="Drafts too: one that stands beside a published text as NAME.draft.md.",
)
@click.option("--replace", is_flag=True, help="Write over files that hold something else.")
def export_folder(terminal: Terminal, folder: Path, kb: str, drafts: bool, replace: bool) -> None:
    """Write a knowledge base's published articles to a FOLDER.

    Content is written byte for byte. An imported article goes back to its path with its front
    matter, any other to its id with the ending .md. A file that holds something else is left
    alone, and the command exits with 1, unless --replace is given.
    """
    from pincite.domain.ids import parse_knowledge_base_id
    from pincite.importers.folder import write_folder

    left_out: list[str] = []

    def chosen(articles: Iterator["ExportedArticle"]) -> Iterator["ExportedArticle"]:
        for article in articles:
            if article.draft and not drafts:
                left_out.append(article.article_id)
            else:
                yield article

    with terminal.opened() as (service, credential):
        articles = service.export_articles(credential, parse_knowledge_base_id(kb, "--kb"))
        written = write_folder(folder, chosen(articles), replace=replace)
    terminal.tell(
        {
            "written": written.written,
            "unchanged": written.unchanged,
            "refused": _findings(written.refused),
            "drafts_left_out": left_out,
        },
        lambda: _print_written(folder, written, left_out),
    )
    if written.refused:
        raise click.exceptions.Exit(1)


def _findings(findings: "Sequence[Finding]") -> list[dict[str, str]]:
    return [{"path": one.path, "message": one.message} for one in findings]


def _report_object(
    report: "ImportReport", counts: Counter[str], *, dry_run: bool
) -> dict[str, object]:
    return {
        "dry_run": dry_run,
        "counts": dict(sorted(counts.items())),
        "articles": [
            {
                "path": entry.path,
                "article_id": entry.article_id,
                "status": entry.status.value,
                "message": entry.message,
            }
            for entry in report.entries
        ],
        "skipped": _findings(report.skipped),
        "repaired": _findings(report.repaired),
        "unresolved_links": _findings(report.unresolved),
    }


def _print_report(report: "ImportReport", counts: Counter[str], *, dry_run: bool) -> None:
    for status in _EXPLAINED:
        for entry in report.entries:
            if entry.status.value == status:
                because = f": {entry.message}" if entry.message else ""
                say(f"{status} {entry.path}{because}")
    for word, findings in (("skipped", report.skipped), ("repaired", report.repaired)):
        for one in findings:
            say(f"{word} {one.path}: {one.message}")
    for one in report.unresolved:
        say(f"unresolved link in {one.path}: {one.message}")
    told = [f"{number} {status}" for status, number in sorted(counts.items())]
    told += [
        f"{len(findings)} {word}"
        for word, findings in (("skipped", report.skipped), ("repaired", report.repaired))
        if findings
    ]
    if report.unresolved:
        told.append(plural(len(report.unresolved), "unresolved link"))
    summary = ", ".join(told) or "nothing to import"
    say(f"{'Would be (nothing was written)' if dry_run else 'Done'}: {summary}.")


def _print_written(folder: Path, written: "Written", left_out: Sequence[str]) -> None:
    for one in written.refused:
        say(f"not written {one.path}: {one.message}")
    told = f"{plural(len(written.written), 'file')} written to {folder}"
    if written.unchanged:
        told += f", {len(written.unchanged)} unchanged"
    if left_out:
        told += f", {plural(len(left_out), 'draft')} left out (--drafts exports them)"
    say(f"{told}.")
