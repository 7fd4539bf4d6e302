"""One self-contained page with all that an experiment showed: plots, and their data as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pincite.sim.plots import Plot
from pincite.sim.tables import Table, shown


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page.

    Attributes:
        name: What links to it, in letters and dashes.
        text: What to know before reading it; often empty.
    """

    name: str
    title: str
    plots: Sequence[Plot] = ()
    tables: Sequence[Table] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """A page.

    Attributes:
        summary: What was found, in a few sentences.
        facts: What was run, by name.
    """

    title: str
    summary: str
    facts: Mapping[str, str]
    sections: Sequence[Section]

    def html(self) -> str:
        """The page; it loads nothing and runs nothing."""
        from jinja2 import Environment, PackageLoader, StrictUndefined

        environment = Environment(
            loader=PackageLoader("pincite.sim"), autoescape=True, undefined=StrictUndefined
        )
        environment.filters["shown"] = shown
        return environment.get_template("report.html").render(
            title=self.title,
            summary=self.summary,
            facts=self.facts.items(),
            sections=self.sections,
        )
