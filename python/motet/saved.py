"""Saved runs: a run in a file, with everything needed to execute it again on another computer."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from ._library import Owner, Time, checked, digest, error, ffi, lib, nanoseconds, path_bytes, seconds, text
from .machine import FilePath
from .node import NodeView
from .timeline import Timeline

__tracebackhide__ = True  # pytest shows the test, not this


class SavedRun(Owner):
    """A saved run, opened. It stands at its beginning.

    `anew` ignores the snapshots in the file and executes everything again. `parts` are paths of parts from outside that
    are not where they were.
    """

    _kind = "saved run"

    def __init__(self, path: FilePath, *, threads: int = 1, anew: bool = False, parts: Sequence[str] = ()) -> None:
        keep: List[Any] = [ffi.new("char[]", part.encode()) for part in parts]
        list_of_parts = ffi.new("const char *[]", keep) if keep else ffi.NULL
        options = ffi.new("struct motet_saved_run_options *", (threads, anew, list_of_parts, len(keep)))
        e = error()
        self._own(
            checked(lib.motet_saved_run_open(path_bytes(path), options, e), e), lib.motet_saved_run_free
        )
        network = lib.motet_saved_run_network(self._c)
        count = lib.motet_network_count(network)
        #: To look at: what is done to them is not saved.
        self.nodes = [NodeView(lib.motet_network_at(network, i), lambda: self._c) for i in range(count)]

    def _info(self) -> Any:
        info = ffi.new("struct motet_saved_run_info *")
        lib.motet_saved_run_info(self._c, info)
        return info

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return int(self._info().seed)

    @property
    def end(self) -> float:
        """When the run ended, in seconds."""
        return seconds(self._info().end)

    @property
    def end_digest(self) -> str:
        """The digest at the end."""
        return text(self._info().digest)

    @property
    def about(self) -> Dict[str, str]:
        """Texts for the reader: the command that made the run, how it ended."""
        found: Dict[str, str] = {}
        name, words = ffi.new("const char **"), ffi.new("const char **")
        while lib.motet_saved_run_about(self._c, len(found), name, words):
            found[text(name[0])] = text(words[0])
        return found

    @property
    def now(self) -> float:
        """Where it is, in seconds."""
        return seconds(lib.motet_saved_run_now(self._c))

    @property
    def digest(self) -> str:
        """The digest where it is."""
        return digest(lib.motet_network_digest, lib.motet_saved_run_network(self._c))

    def seek(self, time: Time) -> None:
        """Goes to a time, forward or backward; not beyond the end."""
        e = error()
        checked(lib.motet_saved_run_seek(self._c, nanoseconds(time), e), e)

    def verify(self) -> int:
        """Executes everything again from the beginning and compares all digests; returns how many there were."""
        check, e = ffi.new("struct motet_saved_run_check *"), error()
        checked(lib.motet_saved_run_verify(self._c, check, e), e)
        return int(check.digests)

    def timeline(self, memory: int = 0) -> Timeline:
        """The run as a timeline, from its beginning."""
        return Timeline._of_saved_run(self, memory)

    def __enter__(self) -> "SavedRun":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
