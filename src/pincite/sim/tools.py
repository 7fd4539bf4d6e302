"""The tools as an agent has them, with what each call costs."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter_ns, process_time_ns
from typing import Any, Protocol

Json = Mapping[str, Any]
_encode = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool answered.

    Attributes:
        content: The structured result; with ``error`` if it was refused.
        size: Its length as JSON, in bytes.
    """

    content: Json
    size: int

    @property
    def code(self) -> str | None:
        """The refusal's code; None if the call was not refused."""
        error = self.content.get("error")
        return error["code"] if error else None


def reply_of(content: Json) -> Reply:
    """The reply that a structured result is."""
    return Reply(content, size_of(content))


def size_of(content: Json) -> int:
    """How many bytes a JSON value takes in UTF-8."""
    return len(_encode(content).encode())


class Tools(Protocol):
    """Whatever carries calls to a server."""

    def call(self, name: str, arguments: Json) -> Reply:
        """Calls one tool."""


@dataclass(slots=True)
class Cost:
    """What some calls took.

    Attributes:
        sent: Bytes of arguments, as JSON.
        returned: Bytes of results, as JSON.
        items: Events or citations that the calls told of, where that is of interest.
        elapsed: Nanoseconds by the clock on the wall.
        processor: Nanoseconds of this process, on all its threads.
    """

    calls: int = 0
    sent: int = 0
    returned: int = 0
    items: int = 0
    elapsed: int = 0
    processor: int = 0

    def __iadd__(self, other: "Cost") -> "Cost":
        self.calls += other.calls
        self.sent += other.sent
        self.returned += other.returned
        self.items += other.items
        self.elapsed += other.elapsed
        self.processor += other.processor
        return self


@dataclass(slots=True)
class Meter:
    """Costs by name: of a tool, or of something that the experiment does."""

    costs: dict[str, Cost] = field(default_factory=dict)

    def add(self, name: str, cost: Cost) -> None:
        """Counts a cost under a name."""
        self.costs.setdefault(name, Cost())
        self.costs[name] += cost

    @contextmanager
    def measure(self, name: str) -> Iterator[Cost]:
        """Takes the time of what happens inside, and counts what it is told of calls."""
        cost = Cost()
        elapsed, processor = perf_counter_ns(), process_time_ns()
        try:
            yield cost
        finally:
            cost.elapsed += perf_counter_ns() - elapsed
            cost.processor += process_time_ns() - processor
            self.add(name, cost)
