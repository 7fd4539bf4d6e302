"""Counts of what a server did, for Prometheus."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from pincite.ports import Store

_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


class Metrics:
    """One server's figures. Labels are tools and codes of refusals, never who or what."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self, store: Store) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._registry.register(_Pool(store))
        self._calls = Counter(
            "pincite_tool_calls",
            "Tool calls answered, by the code of the refusal, or ok.",
            ["tool", "outcome"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "pincite_tool_seconds",
            "How long tool calls took.",
            ["tool"],
            buckets=_BUCKETS,
            registry=self._registry,
        )

    def observe(self, tool: str, outcome: str, seconds: float) -> None:
        """Counts one answered call."""
        self._calls.labels(tool, outcome).inc()
        self._seconds.labels(tool).observe(seconds)

    def exposition(self) -> bytes:
        """All figures in Prometheus' text format."""
        return generate_latest(self._registry)


class _Pool(Collector):
    """How the store's connections fare; nothing where the engine has no pool."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def collect(self) -> Iterator[Metric]:
        for name, value in self._store.figures().items():
            told = f"The store's connections: {name.replace('_', ' ')}."
            yield GaugeMetricFamily(f"pincite_store_{name}", told, value=value)
