"""Networks: nodes and a radio medium under one clock. A node alone is a network of one."""

from __future__ import annotations

import enum
import weakref
from typing import Any, Callable, Dict, List, Optional, Set, Tuple, Union

from ._library import Owner, Time, checked, digest, error, ffi, lib, nanoseconds, path_bytes, seconds
from .errors import FirmwareFault, MotetError, Timeout
from .machine import FilePath, Machine
from .node import Exit, Node
from .taps import Tap
from .timeline import Timeline

__tracebackhide__ = True  # pytest shows the test, not this

#: Nanoseconds between looking up, with input that waits and without: as `motet run` does it.
_INPUT, _IDLE = 1_000_000, 100_000_000

_MODELS = {"links": lib.MOTET_MODEL_LINKS, "disk": lib.MOTET_MODEL_DISK, "log-distance": lib.MOTET_MODEL_LOG_DISTANCE}


class End(enum.Enum):
    """Why a run ended."""

    TIME = "time"  #: the time asked for was reached
    CONDITION = "condition"  #: what was waited for came true
    ENDED = "ended"  #: all nodes have exited
    STOPPED = "stopped"  #: a callback asked for it


class Network(Owner):
    """Nodes under one clock, with a radio medium between them.

    Results do not depend on `threads`; 0 is one for each processor. With one, callbacks of several nodes come in one
    order, always the same.
    `medium` changes the default medium: `Network(medium={"model": "disk", "range": 50, "loss": 0.1})`.
    """

    _kind = "network"

    def __init__(self, seed: int = 0, threads: int = 1, medium: Optional[Dict[str, Any]] = None) -> None:
        e = error()
        pointer = checked(lib.motet_network_new(seed % 2**64, threads, self._medium_of(medium or {}), e), e)
        self._begin(pointer)

    def _begin(self, pointer: Any) -> None:
        self._own(pointer, lib.motet_network_free)
        self.nodes: List[Node] = []  #: in the order of adding
        self._taps: Set[Tap] = set()
        self._saves: List[Save] = []
        self._raised: Optional[BaseException] = None
        self._moving = False
        self._timeline: Optional["weakref.ref[Timeline]"] = None
        self._begun = False
        self._at_begin: List[Callable[[], None]] = []

    @classmethod
    def of_one(cls, machine: Machine, id: int = 0, seed: int = 0) -> "Network":
        """A network of one node, whose firmware keeps the id that it was built with."""
        network = cls.__new__(cls)
        network._begin(lib.motet_network_of_one(machine._c, id, seed % 2**64))
        network._handle.need(machine._handle)
        network.nodes.append(Node(network, lib.motet_network_at(network._c, 0), machine))
        return network

    @staticmethod
    def _medium_of(changes: Dict[str, Any]) -> Any:
        medium = ffi.new("struct motet_medium *")
        lib.motet_medium_default(medium)
        names = [name for name, _ in ffi.typeof("struct motet_medium").fields]
        for name, value in changes.items():
            if name not in names:
                raise MotetError(f"a medium has no '{name}'; it has {', '.join(names)}")
            if name == "model" and value not in _MODELS:
                raise MotetError(f"there is no model '{value}' of a medium; there are {', '.join(_MODELS)}")
            setattr(medium, name, _MODELS[value] if name == "model" else value)
        return medium

    def __repr__(self) -> str:
        return f"<motet.Network of {len(self.nodes)} nodes at {self.now} s>"

    # ---- nodes ----

    def add(
        self,
        machine: Machine,
        id: Optional[int] = None,
        *,
        x: float = 0,
        y: float = 0,
        z: float = 0,
        boot: Time = 0,
        drift: float = 0,
        own_id: bool = False,
    ) -> Node:
        """Adds a node at a place in metres, switched on at the time `boot`, whose clock is `drift` ppm fast.

        Where the firmware keeps its id in a variable that Motet knows (TinyOS's TOS_NODE_ID, the kit's node_id) it is
        set, unless `own_id` says otherwise. An id that is left out is the next free one from 1 on.
        """
        taken = {node.id for node in self.nodes}
        number = id if id is not None else next(i for i in range(1, len(taken) + 2) if i not in taken)
        place = ffi.new("struct motet_place *", (number, x, y, z, nanoseconds(boot), drift, own_id))
        e = error()
        pointer = checked(lib.motet_network_add(self._c, machine._c, place, e), e)
        self._handle.need(machine._handle)
        self.nodes.append(Node(self, pointer, machine))
        return self.nodes[-1]

    def __getitem__(self, id: int) -> Node:
        """The node with that id."""
        for node in self.nodes:
            if node.id == id:
                return node
        raise MotetError(f"there is no node {id}; there are {', '.join(str(n.id) for n in self.nodes) or 'none'}")

    def kill(self, node: Node) -> None:
        """Switches a node off."""
        self._not_in_timeline()
        lib.motet_network_kill(self._c, node._n)

    def boot(self, node: Node) -> None:
        """Switches a node on, or off and on."""
        self._not_in_timeline()
        lib.motet_network_boot(self._c, node._n)

    def alive(self, node: Node) -> bool:
        """Whether it is switched on."""
        return bool(lib.motet_network_alive(self._c, node._n))

    def move(self, node: Node, x: float, y: float, z: float = 0) -> None:
        """Moves a node to another place, in metres."""
        self._change(lib.motet_network_move, node._n, x, y, z)

    def link(self, source: int, to: int, dbm: float) -> None:
        """A link between two ids: the power at which a transmission of 0 dBm arrives."""
        self._change(lib.motet_network_link, source, to, dbm)

    def link_down(self, source: int, to: int, down: bool = True) -> None:
        """Takes a link down, or up again."""
        self._change(lib.motet_network_link_down, source, to, down)

    def link_loss(self, source: int, to: int, probability: float) -> None:
        """How often a link loses a transmission."""
        self._change(lib.motet_network_link_loss, source, to, probability)

    def medium(self, **changes: Any) -> None:
        """Changes the medium from now on: `medium(loss=0.5)`."""
        self._change(lib.motet_network_medium, self._medium_of(changes))

    def _change(self, function: Callable[..., bool], *arguments: Any) -> None:
        self._not_in_timeline()
        e = error()
        checked(function(self._c, *arguments, e), e)

    # ---- time ----

    @property
    def now_ns(self) -> int:
        """The time in nanoseconds."""
        return int(lib.motet_network_now(self._c))

    @property
    def now(self) -> float:
        """The time in seconds."""
        return seconds(self.now_ns)

    @property
    def transmissions(self) -> int:
        """Transmissions that have ended since the network was made."""
        return int(lib.motet_network_transmissions(self._c))

    @property
    def digest(self) -> str:
        """A hash of the whole state: the same run has the same digest, on any machine."""
        return digest(lib.motet_network_digest, self._c)

    @property
    def can_go_on(self) -> bool:
        """Whether a node has not exited."""
        return any(node.exit is Exit.RUNNING for node in self.nodes)

    def run_for(self, time: Time) -> End:
        """Runs for so much simulated time; see run_until."""
        return self._run_to(self.now_ns + nanoseconds(time))

    def run_until(self, condition: Union[Time, Callable[[], bool]], within: Time = 10, step: Time = "1ms") -> End:
        """Runs to a time, or until a function becomes true, which is asked after each `step`.

        Timeout is raised if it is not true within that simulated time. FirmwareFault is raised if a node stops at a fault.
        An exception of a callback is raised. End.STOPPED: a callback has called `Node.stop`.
        """
        if not callable(condition):
            return self._run_to(nanoseconds(condition))
        limit, stride = self.now_ns + nanoseconds(within), nanoseconds(step)
        if not stride:
            raise MotetError("a step takes time; give one such as 1ms")
        while not condition():
            if self.now_ns >= limit or not self.can_go_on:
                raise Timeout(f"what was waited for did not come true by {self.now} s")
            end = self._run_to(min(self.now_ns + stride, limit))
            if end is End.STOPPED:
                return end
        return End.CONDITION

    def _run_to(self, until: int) -> End:
        self._not_in_timeline()
        if self._moving:
            raise MotetError("a callback cannot run its network; it can call Node.stop and let the caller go on")
        self._begin_run()
        self._moving = True
        try:
            return self._loop(until)
        finally:
            self._moving = False

    def _begin_run(self) -> None:
        if not self._begun:
            self._begun = True
            for begin in self._at_begin:
                begin()

    def _loop(self, until: int) -> End:
        if not self.nodes:
            raise MotetError("the network has no nodes; add some")
        while self.now_ns < until:
            waits = self._feed()
            slice = _INPUT if waits else _IDLE
            stop = min(until, (self.now_ns // slice + 1) * slice)
            end = lib.motet_network_run(self._c, stop)
            self._raise()
            if end == lib.MOTET_NETWORK_STOPPED:
                return End.STOPPED
            if end == lib.MOTET_NETWORK_ENDED and self._ended():
                return End.ENDED
        return End.TIME

    def _feed(self) -> bool:
        """Gives serial ports what waits for them; true if something still waits."""
        waits = False
        for node in self.nodes:
            for port in node._serials.values():
                port._feed()
                waits |= bool(port._pending)
        return waits

    def _ended(self) -> bool:
        """A node has exited: raises its fault; true if it was the last."""
        for node in self.nodes:
            fault = node.fault if node.exit is Exit.FAULT else None
            if fault:
                raise FirmwareFault(f"node {node.id}: {fault.text.rstrip()}", node.id, fault)
        return not self.can_go_on

    def _failed(self, problem: BaseException) -> None:
        self._raised = self._raised or problem

    def _raise(self) -> None:
        problem, self._raised = self._raised, None
        if problem:
            raise problem

    def _open_timeline(self) -> Optional[Timeline]:
        timeline = self._timeline() if self._timeline else None
        return timeline if timeline and not timeline.closed else None

    def _not_in_timeline(self) -> None:
        if self._open_timeline():
            raise MotetError("the network is moved by its timeline; do this through the timeline, or close it first")

    def _enter_timeline(self, timeline: Timeline) -> None:
        self._not_in_timeline()
        for save in self._saves:
            if save.gives_way:
                save.abandon()
            elif not save.closed:
                raise MotetError("the run is being saved; finish or abandon that first, a timeline can save its own run")
        self._timeline = weakref.ref(timeline)

    # ---- state ----

    def snapshot(self) -> "Snapshot":
        """A copy of all state, to come back to."""
        return Snapshot(self)

    def save(self, path: FilePath, about: Optional[Dict[str, str]] = None) -> "Save":
        """Saves the run in a file, which appears when `finish` is called. For a network that has not run yet."""
        return Save(self, path, about or {})

    def timeline(self, memory: int = 0) -> Timeline:
        """The network as a timeline, from now on: forward and backward. Until that is closed, it alone moves the nodes."""
        return Timeline._of_network(self, memory)

    def capture(self, path: FilePath) -> None:
        """Writes frames to a pcapng file from now on."""
        self._change(lib.motet_network_capture, path_bytes(path))

    def end_capture(self) -> None:
        """Ends the file, and raises what could not be written."""
        self._change(lib.motet_network_capture_end)

    def __enter__(self) -> "Network":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Snapshot(Owner):
    """All state of a network at a moment. Restoring it does not change it."""

    _kind = "snapshot"

    def __init__(self, network: Network) -> None:
        network._not_in_timeline()
        self.network, self.time = network, network.now
        self._own(lib.motet_network_snapshot_take(network._c), lib.motet_network_snapshot_free, network._handle)
        self._ports: List[Tuple[Dict[int, Tuple[Any, bytes]], Any, int]] = [
            ({line: (p._state(), p.output) for line, p in n._serials.items()}, n.analog._state(), len(n.faults))
            for n in network.nodes
        ]

    def restore(self) -> None:
        """Brings the network back to it. Taps stay as they are."""
        self.network._not_in_timeline()
        if len(self._ports) != len(self.network.nodes):
            raise MotetError("nodes were added after the snapshot; take another one")
        lib.motet_network_snapshot_restore(self.network._c, self._c)
        for node, (serials, analog, faults) in zip(self.network.nodes, self._ports):
            for line, port in node._serials.items():
                state, output = serials.get(line, ((0, 0, b""), b""))
                port._restore(state, output)
            node.analog._restore(analog)
            del node.faults[faults:]


class Save(Owner):
    """A run that is saved while it goes on. Without `finish` there is no file."""

    _kind = "saved run's file"

    def __init__(self, network: Network, path: FilePath, about: Dict[str, str]) -> None:
        e = error()
        pointer = checked(lib.motet_save_network(network._c, path_bytes(path), e), e)
        self._own(pointer, lib.motet_save_abandon, network._handle)
        self.path = path
        self.gives_way = False  #: a timeline of the network abandons it; else there is no timeline meanwhile
        network._saves.append(self)  # it goes on although the caller keeps nothing
        for name, words in about.items():
            self.about(name, words)

    @property
    def closed(self) -> bool:
        """Whether the file was finished or abandoned."""
        return not self._handle._wanted

    def about(self, name: str, words: str) -> None:
        """A named text for the reader of the file."""
        lib.motet_save_about(self._c, name.encode(), words.encode())

    def finish(self) -> None:
        """Completes the file as the nodes stand now."""
        e, pointer = error(), self._c
        self._handle.forget()
        checked(lib.motet_save_finish(pointer, e), e)

    def abandon(self) -> None:
        """Leaves no file. Does nothing after finish."""
        self.close()
