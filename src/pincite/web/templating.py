"""Fills templates with page models."""

from datetime import UTC, datetime
from functools import cached_property

from jinja2 import Environment, PackageLoader, StrictUndefined

from pincite import __version__
from pincite.domain.stamps import Stamp
from pincite.web.addresses import address, article_address
from pincite.web.pages import Page

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


class Templates:
    """The app's templates, escaped throughout; each is compiled once."""

    def html(self, page: Page, *, up: str, address: str) -> str:
        """Shows a page.

        Args:
            page: What it shows.
            up: How its address leads to the app's own.
            address: The app's own, for people to copy.
        """
        template = self._environment.get_template(page.template)
        return template.render(page=page, up=up, app_address=address)

    @cached_property
    def _environment(self) -> Environment:
        environment = Environment(
            loader=PackageLoader("pincite.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters["day"] = _day
        environment.filters["counted"] = _counted
        environment.globals.update(
            address=address, article_address=article_address, version=__version__
        )
        return environment


def _day(stamp: Stamp) -> str:
    """A stamp's day and minute, for people; the stamp itself always stands beside it."""
    at = datetime.fromtimestamp(stamp.milliseconds / 1000, UTC)
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}, {at:%H:%M} UTC"


def _counted(number: int, one: str, many: str) -> str:
    """A number with its noun; thousands apart."""
    return f"{number:,} {one if number == 1 else many}"
