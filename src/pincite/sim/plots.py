"""Plots as SVG, readable in print and without colour.

Each is a picture with a title and a description for those who do not see it; its data stands
beside it as a table. Series differ by dash and marker as well as by colour.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, TypeAlias

Point: TypeAlias = tuple[float, float]

# Okabe and Ito's palette, which stays apart for most kinds of colour blindness, without yellow.
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_DASHES: Final = ("", "7 4", "2 3", "9 3 2 3", "4 2", "12 4")
# From dark to light, so that a stack's parts differ in grey, too.
_LIGHTER: Final = ("#0072b2", "#56b4e9", "#e69f00", "#f3dfa8", "#cc79a7", "#bbbbbb")
_WIDTH: Final = 720
_HEIGHT: Final = 434
_LEFT: Final = 70
_RIGHT: Final = 16
_TOP: Final = 14
_BOTTOM: Final = 126
_LONG_LABEL: Final = 10
_LEGEND_COLUMNS: Final = 2
_TICKS: Final = 5


@dataclass(frozen=True, slots=True)
class Series:
    """One line, with a band around it or without.

    Attributes:
        band: For each point the lower and the upper end; empty for none.
        points_only: Draw markers and no line.
    """

    name: str
    points: Sequence[Point]
    band: Sequence[Point] = ()
    points_only: bool = False


@dataclass(frozen=True, slots=True)
class Axes:
    """What the plot's axes say.

    Attributes:
        logarithmic: Both axes in powers of ten.
    """

    x: str
    y: str
    logarithmic: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """A finished plot.

    Attributes:
        name: Letters and dashes; the SVG's ids begin with it.
        title: What it shows, in a few words.
        description: What a reader sees in it, in a sentence or two.
        body: The SVG's inside.
    """

    name: str
    title: str
    description: str
    body: str

    @property
    def svg(self) -> str:
        """The whole element."""
        return (
            f'<svg role="img" viewBox="0 0 {_WIDTH} {_HEIGHT}" aria-labelledby="{self.name}-title" '
            f'aria-describedby="{self.name}-description" '
            f'xmlns="http://www.w3.org/2000/svg">'
            f'<title id="{self.name}-title">{escape(self.title)}</title>'
            f'<desc id="{self.name}-description">{escape(self.description)}</desc>'
            f"{self.body}</svg>"
        )


def lines(axes: Axes, series: Sequence[Series]) -> str:
    """The inside of a plot of lines."""
    scale = _Scale.fitting(axes, series)
    drawn = [_band(scale, one, number) for number, one in enumerate(series) if one.band]
    drawn += [_line(scale, one, number) for number, one in enumerate(series)]
    keys = [_point_key if one.points_only else _line_key for one in series]
    names = [one.name for one in series]
    return "".join([_frame(axes, scale), *drawn, _legend(names, keys)])


def bars(axes: Axes, groups: Sequence[str], series: Sequence[tuple[str, Sequence[float]]]) -> str:
    """The inside of a plot of stacked bars, one stack for each group."""
    highest = max(
        (sum(values) for values in zip(*(one for _, one in series), strict=True)), default=0
    )
    scale = _Scale((0, len(groups)), (0, _rounded_up(highest)), logarithmic=False)
    drawn = [_y_axis(axes, scale), _x_title(axes.x)]
    for place, group in enumerate(groups):
        left, right = scale.x(place + 0.2), scale.x(place + 0.8)
        middle = (left + right) / 2
        drawn += [
            _text(middle, _HEIGHT - _BOTTOM + 18 + 15 * row, words, "middle")
            for row, words in enumerate(_rows(group))
        ]
        below = 0.0
        for number, (_, values) in enumerate(series):
            top, bottom = scale.y(below + values[place]), scale.y(below)
            below += values[place]
            drawn.append(_box(number, left, top, right - left, bottom - top))
    if len(series) > 1:  # the axis names a single one
        drawn.append(_legend([name for name, _ in series], [_bar_key] * len(series)))
    return "".join(drawn)


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where values stand on the paper."""

    across: Point
    up: Point
    logarithmic: bool

    @classmethod
    def fitting(cls, axes: Axes, series: Sequence[Series]) -> "_Scale":
        xs = [x for one in series for x, _ in one.points]
        ys = [y for one in series for _, y in one.points]
        ys += [end for one in series for ends in one.band for end in ends]
        if axes.logarithmic:
            return cls(_powers(xs), _powers(ys), logarithmic=True)
        return cls((min(xs), max(xs)), (0, _rounded_up(max(ys))), logarithmic=False)

    def holds(self, x: float, y: float) -> bool:
        """Whether a point can be drawn: powers of ten have no place for nothing."""
        return not self.logarithmic or min(x, y) > 0

    def x(self, value: float) -> float:
        share = self._share(value, self.across)
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(self, value: float) -> float:
        share = self._share(value, self.up)
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)

    def _share(self, value: float, span: Point) -> float:
        low, high = span
        if self.logarithmic:
            value, low, high = (math.log10(max(one, low)) for one in (value, low, high))
        return (value - low) / ((high - low) or 1)


def _powers(values: Sequence[float]) -> Point:
    positive = [value for value in values if value > 0] or [1.0]
    low, high = math.floor(math.log10(min(positive))), math.ceil(math.log10(max(positive)))
    return 10.0**low, 10.0 ** max(high, low + 1)


def _rounded_up(value: float) -> float:
    """The next number of one digit, or of one and a half, that is not below a value."""
    if value <= 0:
        return 1
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * power >= value)


def _ticks(span: Point, *, logarithmic: bool) -> list[float]:
    low, high = span
    if logarithmic:
        return [10.0**power for power in range(round(math.log10(low)), round(math.log10(high)) + 1)]
    return [low + (high - low) * number / _TICKS for number in range(_TICKS + 1)]


def _frame(axes: Axes, scale: _Scale) -> str:
    drawn = [_y_axis(axes, scale), _x_title(axes.x)]
    ticks = (
        _ticks(scale.across, logarithmic=True)
        if axes.logarithmic
        else range(math.ceil(scale.across[0]), math.floor(scale.across[1]) + 1)
    )
    drawn += [_text(scale.x(one), _HEIGHT - _BOTTOM + 18, _number(one), "middle") for one in ticks]
    return "".join(drawn)


def _y_axis(axes: Axes, scale: _Scale) -> str:
    drawn = []
    for tick in _ticks(scale.up, logarithmic=scale.logarithmic):
        y = scale.y(tick)
        drawn.append(f'<path class="grid" d="M{_LEFT} {y}H{_WIDTH - _RIGHT}"/>')
        drawn.append(_text(_LEFT - 6, y + 4, _number(tick), "end"))
    middle = (_HEIGHT - _BOTTOM + _TOP) / 2
    turn = f'transform="rotate(-90 14 {middle})"'
    return "".join([*drawn, _text(14, middle, axes.y, "middle", turn)])


def _rows(label: str) -> list[str]:
    """A label on one row or, if it is long, on two."""
    words = label.split()
    if len(label) <= _LONG_LABEL or len(words) == 1:
        return [label]
    return [" ".join(words[:-1]), words[-1]]


def _x_title(title: str) -> str:
    return _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - _BOTTOM + 50, title, "middle")


def _band(scale: _Scale, one: Series, number: int) -> str:
    xs = [scale.x(x) for x, _ in one.points]
    lower = [f"{x} {scale.y(ends[0])}" for x, ends in zip(xs, one.band, strict=True)]
    upper = [f"{x} {scale.y(ends[1])}" for x, ends in zip(xs, one.band, strict=True)]
    outline = "L".join([*lower, *reversed(upper)])
    return f'<path fill="{_colour(number)}" fill-opacity="0.15" d="M{outline}Z"/>'


def _line(scale: _Scale, one: Series, number: int) -> str:
    places = [(scale.x(x), scale.y(y)) for x, y in one.points if scale.holds(x, y)]
    drawn = "".join(_marker(x, y, number) for x, y in places)
    if one.points_only or not places:
        return drawn
    path = "L".join(f"{x} {y}" for x, y in places)
    return f'<path {_stroke(number)} d="M{path}"/>{drawn}'


def _marker(x: float, y: float, number: int) -> str:
    shapes = (
        f"M{x - 3.5} {y}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z",
        f"M{x - 3.5} {y - 3.5}h7v7h-7Z",
        f"M{x} {y - 4.5}l4.5 8h-9Z",
        f"M{x} {y - 4.5}l4.5 4.5l-4.5 4.5l-4.5 -4.5Z",
    )
    return f'<path fill="{_colour(number)}" d="{shapes[number % len(shapes)]}"/>'


def _box(number: int, x: float, y: float, width: float, height: float) -> str:
    size = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{max(height, 0):.1f}"'
    return f'<rect fill="{_LIGHTER[number % len(_LIGHTER)]}" stroke="#fff" {size}/>'


def _legend(names: Sequence[str], keys: Sequence[Callable[[int, float, float], str]]) -> str:
    drawn = []
    for number, (name, key) in enumerate(zip(names, keys, strict=True)):
        row, column = divmod(number, _LEGEND_COLUMNS)
        x = _LEFT + column * (_WIDTH - _LEFT - _RIGHT) / _LEGEND_COLUMNS
        y = _HEIGHT - _BOTTOM + 74 + row * 18
        drawn.append(key(number, x, y) + _text(x + 36, y + 4, name, "start"))
    return "".join(drawn)


def _line_key(number: int, x: float, y: float) -> str:
    return f'<path {_stroke(number)} d="M{x} {y}h28"/>{_marker(x + 14, y, number)}'


def _point_key(number: int, x: float, y: float) -> str:
    return _marker(x + 14, y, number)


def _bar_key(number: int, x: float, y: float) -> str:
    return _box(number, x, y - 6, 28, 12)


def _stroke(number: int) -> str:
    dash = _DASHES[number % len(_DASHES)]
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'fill="none" stroke="{_colour(number)}" stroke-width="2"{dashes}'


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]


def _text(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" {more}>{escape(text)}</text>'


def _number(value: float) -> str:
    if value >= 10_000:
        power = math.log10(value)
        return f"10{_raised(round(power))}" if power.is_integer() else f"{value:,.0f}"
    return f"{value:g}"


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
