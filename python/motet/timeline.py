"""Timelines: a run that can be gone through forward and backward.

Invariant: every position is reached with the same state, the same digest, however it is reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, Union

from ._library import Handle, Owner, Time, checked, digest, error, ffi, lib, nanoseconds, path_bytes, seconds
from .errors import MotetError
from .machine import FilePath
from .node import NodeView
from .ports import DRIVES

if TYPE_CHECKING:
    from .network import Network
    from .saved import SavedRun

__tracebackhide__ = True  # pytest shows the test, not this

_WHY = ("reached", "stop", "watch", "begin", "end", "interrupted", "exit", "limit")
_NEVER = lib.MOTET_NEVER


@dataclass(frozen=True)
class Event:
    """Why a timeline stands where it stands.

    "reached": what was asked for. "stop": before the instruction of a stop. "watch": a watched variable was touched.
    "begin" and "end" of history. "exit": a node has ended. "limit": the time of a step was over.
    """

    why: str
    node: int  #: of "stop", "watch", "exit": its number in `nodes`
    address: int  #: of "watch": the data address
    write: bool  #: of "watch"


class TimelineNode(NodeView):
    """A node of a timeline. It is looked at, and given things through its timeline."""

    def __init__(self, timeline: "Timeline", number: int) -> None:
        super().__init__(lib.motet_timeline_node(timeline._c, number), lambda: timeline._c)
        self._timeline, self.number = timeline, number
        self._stops: List[int] = []
        self._watches: List[Tuple[int, int, int]] = []

    @property
    def powered(self) -> bool:
        """Whether it has been switched on, and not off since."""
        return bool(lib.motet_timeline_powered(self._timeline._c, self.number))

    # ---- where a run is to stop ----

    def stop_at(self, where: Union[str, int]) -> None:
        """The timeline stops before this code: "main", "blink.c:31", an address."""
        if isinstance(where, int):
            found = [where]
        else:
            room, e = ffi.new("uint32_t[]", 4096), error()
            count = checked(lib.motet_machine_find(self._m, where.encode(), room, 4096, e), e)
            found = list(room[0 : min(count, 4096)])
        self._apply(self._stops + found, self._watches)

    def watch(self, expression: str, when: str = "write") -> None:
        """The timeline stops where a variable is written ("write"), read ("read") or both ("read write")."""
        kinds = {"read": lib.MOTET_READ, "write": lib.MOTET_WRITE}
        if not when.split() or any(word not in kinds for word in when.split()):
            raise MotetError(f"'{when}' is none of read, write and read write")
        memory, at, size = self._located(expression)
        if memory != lib.MOTET_MEMORY_DATA:
            raise MotetError(f"{expression} is not in data memory and cannot be watched")
        flags = sum(kinds[word] for word in set(when.split()))
        self._apply(self._stops, self._watches + [(at, at + size - 1, flags)])

    def clear(self) -> None:
        """Takes all its stops and watches away."""
        self._apply([], [])

    def _apply(self, stops: List[int], watches: List[Tuple[int, int, int]]) -> None:
        list_of_watches = ffi.new("struct motet_timeline_watch[]", watches)
        addresses = ffi.new("uint32_t[]", stops)
        if not lib.motet_timeline_stops(
            self._timeline._c, self.number, addresses, len(stops), list_of_watches, len(watches)
        ):
            raise MotetError(f"a node has at most {lib.MOTET_TIMELINE_WATCHES} watches")
        self._stops, self._watches = stops, watches

    def _located(self, expression: str) -> Tuple[int, int, int]:
        address, size, e = ffi.new("uint32_t *"), ffi.new("uint32_t *"), error()
        checked(lib.motet_node_named(self._n, 0, expression.encode(), address, size, e), e)
        memory, at = ffi.new("enum motet_memory *"), ffi.new("uint32_t *")
        if not lib.motet_node_locate(self._n, address[0], size[0], memory, at):
            raise MotetError(f"{expression} is in no memory")
        return memory[0], at[0], size[0]

    # ---- what is given to it, here and now ----

    def write(self, expression: str, value: Union[int, bytes]) -> None:
        """Gives a variable a value: an int as the machine has it in memory, or bytes."""
        memory, at, size = self._located(expression)
        data = value if isinstance(value, bytes) else (value % 2 ** (8 * size)).to_bytes(size, "little")
        if len(data) != size:
            raise MotetError(f"{expression} has {size} bytes, and {len(data)} were given")
        kinds = {lib.MOTET_MEMORY_DATA: lib.MOTET_INPUT_DATA, lib.MOTET_MEMORY_EEPROM: lib.MOTET_INPUT_EEPROM}
        self._give(kinds.get(memory, lib.MOTET_INPUT_CODE), at, data=data)

    def send(self, data: Union[bytes, str], line: Optional[int] = None) -> None:
        """Sends bytes or text to a serial port, by default the one that leads to a computer."""
        where = lib.motet_machine_terminal(self._m) if line is None else line
        self._give(lib.MOTET_INPUT_SERIAL, where, data=data.encode() if isinstance(data, str) else data)

    def drive(self, pin: str, how: str) -> None:
        """Drives a pin: "high", "low", "pulled-up", "pulled-down" or "floating"."""
        number = lib.motet_machine_pin_named(self._m, pin.encode())
        if number < 0 or how not in DRIVES:
            raise MotetError(f"there is no pin '{pin}', or it cannot be driven '{how}'; it is {', '.join(DRIVES)}")
        self._give(lib.MOTET_INPUT_PIN, number, DRIVES[how])

    def reset(self) -> None:
        """As by the reset pin."""
        self._give(lib.MOTET_INPUT_RESET, 0)

    def _give(self, kind: int, where: int, value: int = 0, data: bytes = b"") -> None:
        keep = ffi.from_buffer(data)
        what = ffi.new("struct motet_input *", (kind, where, value, keep, len(data)))
        if not lib.motet_timeline_give(self._timeline._c, self.number, what):
            raise MotetError(f"node {self.id} cannot be given that: it has no such place, has ended or has no power")


class Timeline(Owner):
    """A run forward and backward. Networks and saved runs make them."""

    _kind = "timeline"

    def __init__(self) -> None:
        raise MotetError("a timeline is made by Network.timeline or SavedRun.timeline")

    @classmethod
    def _of_network(cls, network: "Network", memory: int) -> "Timeline":
        t = cls.__new__(cls)
        network._enter_timeline(t)
        t._made(lib.motet_timeline_of_network, network, network._c, network._handle, memory)
        return t

    @classmethod
    def _of_saved_run(cls, run: "SavedRun", memory: int) -> "Timeline":
        t = cls.__new__(cls)
        t._made(lib.motet_timeline_of_saved_run, run, run._c, run._handle, memory)
        return t

    def _made(
        self, make: Callable[[Any, Any], Any], subject: Any, pointer: Any, handle: Handle, memory: int
    ) -> None:
        self._subject = subject  # taps on its nodes live as long
        self._interrupt: Dict[str, BaseException] = {}
        self._context = ffi.new_handle(self._interrupt)
        options = ffi.new("struct motet_timeline_options *")
        options.memory, options.interrupted, options.context = memory, _interrupted, self._context
        self._own(make(pointer, options), lib.motet_timeline_free, handle)
        self.nodes = [TimelineNode(self, i) for i in range(lib.motet_timeline_count(self._c))]

    @property
    def closed(self) -> bool:
        """Whether it has ended. The nodes stay where they are."""
        return not self._finalizer.alive

    def __getitem__(self, id: int) -> TimelineNode:
        """The node with that id."""
        for node in self.nodes:
            if node.id == id:
                return node
        raise MotetError(f"there is no node {id}; there are {', '.join(str(n.id) for n in self.nodes)}")

    @property
    def now_ns(self) -> int:
        """Where it is, in nanoseconds."""
        return int(lib.motet_timeline_now(self._c))

    @property
    def now(self) -> float:
        """Where it is, in seconds."""
        return seconds(self.now_ns)

    @property
    def digest(self) -> str:
        """A hash of the whole state here."""
        return digest(lib.motet_timeline_digest, self._c)

    @property
    def position(self) -> "Position":
        """Where it is, to the instruction. `go` comes back to it."""
        return Position(lib.motet_timeline_position(self._c))

    def run_until(self, time: Optional[Time] = None) -> Event:
        """Runs forward to a time, or to a stop before it; without a time to the end of a saved run."""
        until = lib.motet_timeline_until(self._c) if time is None else nanoseconds(time)
        if until == _NEVER:
            raise MotetError("only a saved run has an end; give the time until which to run")
        return self._event(lib.motet_timeline_run(self._c, until))

    def run_back(self) -> Event:
        """Runs backward to the last stop or watch before, or to the beginning."""
        return self._event(lib.motet_timeline_run_back(self._c))

    def seek(self, time: Time) -> Event:
        """Goes to a time, forward or backward, past all stops."""
        return self._event(lib.motet_timeline_seek(self._c, nanoseconds(time)))

    def go(self, to: "Position") -> Event:
        """Goes to a position where it has been."""
        return self._event(lib.motet_timeline_go(self._c, to._c))

    def step(self, node: TimelineNode, until: Optional[Time] = None) -> Event:
        """One instruction of a node, or the rest of its sleep; not beyond a time."""
        limit = _NEVER if until is None else nanoseconds(until)
        return self._event(lib.motet_timeline_step(self._c, node.number, limit))

    def step_back(self, node: TimelineNode) -> Event:
        """The instruction of a node before this one."""
        return self._event(lib.motet_timeline_step_back(self._c, node.number))

    def save(self, path: FilePath) -> None:
        """Saves the run up to here."""
        e = error()
        checked(lib.motet_timeline_save(self._c, path_bytes(path), e), e)

    def _event(self, event: Any) -> Event:
        raised = self._interrupt.pop("raised", None)
        if raised:
            raise raised
        failed = getattr(self._subject, "_raise", None)
        if failed:
            failed()
        return Event(_WHY[event.why], event.node, event.address, bool(event.kind & lib.MOTET_WRITE))

    def __enter__(self) -> "Timeline":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _keep_interrupt(kind: Any, problem: BaseException, trace: Any) -> None:
    ffi.from_handle(trace.tb_frame.f_locals["context"])["raised"] = problem


@ffi.callback("bool(void *)", error=True, onerror=_keep_interrupt)  # type: ignore[misc]
def _interrupted(context: Any) -> bool:
    """Being called lets Python see Ctrl-C, which then is raised when C has returned."""
    return "raised" in ffi.from_handle(context)


class Position:
    """A place in the order of all instructions. Positions of one timeline can be compared."""

    def __init__(self, c: Any) -> None:
        self._c = c

    @property
    def now(self) -> float:
        """Its time in seconds."""
        return seconds(self._c.now)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and lib.motet_position_compare(self._c, other._c) == 0

    def __lt__(self, other: "Position") -> bool:
        return bool(lib.motet_position_compare(self._c, other._c) < 0)

    def __hash__(self) -> int:
        return hash((self._c.now, self._c.node, self._c.instructions))

    def __repr__(self) -> str:
        return f"<motet.Position {self.now} s>"
