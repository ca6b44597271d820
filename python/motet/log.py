"""Node logs: what recording nodes wrote in their flash, and replays of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Optional

from ._library import Owner, checked, error, ffi, lib, path_bytes, text
from .errors import MotetError
from .machine import FilePath, Machine, machine_options
from .network import Network

__tracebackhide__ = True  # pytest shows the test, not this


@dataclass(frozen=True)
class LogPart:
    """A part of a log: from one start of the firmware on, or from a checkpoint, as far as no page is missing."""

    number: int
    codec: str
    pages: int
    bytes: int
    from_checkpoint: bool
    usable: bool  #: a replay can begin with it
    gap: bool  #: it ends because the recorder had no room for what came next
    frozen: bool  #: it ends because the firmware froze the log


@dataclass(frozen=True)
class ReplayResult:
    """How a replay went."""

    events: int
    interrupts: int
    verified: int  #: events that checks of the log have confirmed
    differs: bool  #: execution did not fit the log
    how: str  #: it ended, in a sentence


class Log(Owner):
    """A log, or the contents of a flash memory that holds one."""

    _kind = "log"

    def __init__(self, path: FilePath, page_size: int = 0) -> None:
        e = error()
        self._own(checked(lib.motet_log_load(path_bytes(path), page_size, e), e), lib.motet_log_free)

    @property
    def parts(self) -> List[LogPart]:
        """Its parts, in their order."""
        found: List[LogPart] = []
        p = ffi.new("struct motet_log_part *")
        while lib.motet_log_part(self._c, len(found), p):
            found.append(
                LogPart(p.number, text(p.codec), p.pages, p.bytes, bool(p.checkpoint), p.usable, p.gap, p.frozen)
            )
        return found

    def save(self, path: FilePath) -> None:
        """Writes it to a file of its own."""
        e = error()
        checked(lib.motet_log_save(self._c, path_bytes(path), e), e)

    def replay(
        self,
        firmware: FilePath,
        board: Optional[str] = None,
        *,
        part: Optional[int] = None,
        id: int = 0,
        set: Optional[Dict[str, int]] = None,
    ) -> "Replay":
        """A node that lives through the log again.

        It begins with a part of `parts`; by default with the one from which most of the log is reached. `set` are
        variables that the recording node had set (`motet run --set`).
        """
        return Replay(self, firmware, board, part, id, set or {})


class _ReplayMachine(Machine):
    """A machine whose nodes take everything that is not determined from a log."""

    def __init__(self, log: Log, firmware: FilePath, board: Optional[str], part: int) -> None:
        options, keep = machine_options(board, 0, (-1, -1, -1), -1, ())
        e = error()
        pointer = checked(lib.motet_replay_load(path_bytes(firmware), options, log._c, part, e), e)
        del keep
        self._own(pointer, lib.motet_machine_free, log._handle)


class Replay:
    """A node that lives through a log again. `node` can be tapped and looked at; `timeline` goes backward, too."""

    def __init__(
        self, log: Log, firmware: FilePath, board: Optional[str], part: Optional[int], id: int, set: Dict[str, int]
    ) -> None:
        if part is not None and not 0 <= part < len(log.parts):
            raise MotetError(f"the log has no part {part}; it has {len(log.parts)}")
        begin = int(lib.motet_log_begin(log._c)) if part is None else part
        self.machine = _ReplayMachine(log, firmware, board, begin)
        self.network = Network.of_one(self.machine, id)
        self.node = self.network.nodes[0]
        for name, value in set.items():
            self.node.set(name, value)
        self.node.on_fault("ignore")  # a log ends by itself where its node crashed

    def run(self) -> ReplayResult:
        """Executes it to its end."""
        while self.network.can_go_on:
            self.network.run_for(1)
        return self.result

    @property
    def result(self) -> ReplayResult:
        """How far it has come."""
        r = ffi.new("struct motet_replay *")
        lib.motet_node_replay(self.node._n, r)
        return ReplayResult(r.events, r.interrupts, r.verified, r.differs, text(r.how))
