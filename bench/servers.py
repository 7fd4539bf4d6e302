"""Server processes, and clients that send bytes prepared beforehand."""

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
PINCITE = [sys.executable, "-m", "pincite"]
NO_OP = [sys.executable, "-m", "bench.no_op"]


def request(method: str, **params: object) -> bytes:
    """One JSON-RPC request of the newer era."""
    told = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
    return json.dumps(told).encode()


def tool_call(name: str, **arguments: object) -> bytes:
    """A call of a tool."""
    return request("tools/call", name=name, arguments=arguments)


class StdioClient:
    """Speaks to a server over its standard input and output."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    def ask(self, body: bytes) -> bytes:
        """Sends a request and reads the answer."""
        _pipe(self.process.stdin).write(body + b"\n")
        _pipe(self.process.stdin).flush()
        return _pipe(self.process.stdout).readline()


class HttpClient:
    """Speaks to a server over one connection that stays open."""

    def __init__(self, address: str, token: str | None = None) -> None:
        self._connection = http.client.HTTPConnection(address)
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
        }
        if token:
            self._headers["Authorization"] = f"Bearer {token}"

    def ask(self, body: bytes, method: str, name: str) -> bytes:
        """Sends a request and reads the answer."""
        headers = {**self._headers, "Mcp-Method": method, "Mcp-Name": name}
        self._connection.request("POST", "/mcp", body, headers)
        return self._connection.getresponse().read()


@contextmanager
def stdio(command: list[str]) -> Iterator[StdioClient]:
    """A server on pipes."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield StdioClient(process)
    finally:
        _pipe(process.stdin).close()
        process.wait(10)


@contextmanager
def listening(command: list[str]) -> Iterator[tuple[str, int]]:
    """A server on a port of its own; its address, and its process's id."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        line = _pipe(process.stdout).readline().decode()
        yield line.split("//")[1].split("/")[0], process.pid
    finally:
        process.terminate()
        process.wait(10)


def resident_mib(pid: int) -> float:
    """The memory that a process holds, in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("The process has no such pipe.")
    return pipe
