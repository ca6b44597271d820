"""Nodes: one life of a machine. Everything a node does follows from its machine, its seed and what is fed to it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Sequence, Union

from . import taps, values
from ._library import Time, checked, digest, enumerators, error, ffi, grown, lib, nanoseconds, path_bytes, seconds, text
from .errors import MotetError
from .machine import FilePath, Machine
from .ports import Analog, Pin, Serial
from .taps import Access, Happening, Tap

if TYPE_CHECKING:
    from .network import End, Network

__tracebackhide__ = True  # pytest shows the test, not this

FAULTS: Dict[str, int] = enumerators(lib.motet_fault_name, lib.MOTET_FAULT_KINDS)
_ACTIONS = {"default": 0, "stop": 1, "warn": 2, "ignore": 3}
_STORES = {"eeprom": lib.MOTET_STORE_EEPROM, "flash": lib.MOTET_STORE_FLASH}


class Exit(enum.Enum):
    """How a node stands."""

    RUNNING = 0
    FAULT = 1  #: stopped at a fault
    FIRMWARE = 2  #: the firmware ended the run
    HALT = 3  #: nothing can wake it
    LOG = 4  #: a replay has come to the end of its log, or to a difference


@dataclass(frozen=True)
class Fault:
    """An error of the firmware that Motet reports. `text` explains it, with source line and call chain."""

    kind: str  #: "stack-overflow" ...
    pc: int
    tick: int
    text: str


class NodeView:
    """A node to look at. Everything here is exact for the moment, also in callbacks, and changes nothing."""

    def __init__(self, pointer: Any, alive: Any) -> None:
        self._pointer, self._alive = pointer, alive  # alive raises when the node's owner is closed

    @property
    def _n(self) -> Any:
        self._alive()
        return self._pointer

    @property
    def _m(self) -> Any:
        return lib.motet_node_machine(self._n)

    @property
    def id(self) -> int:
        """Its id in the network."""
        return int(lib.motet_node_id(self._n))

    @property
    def ticks(self) -> int:
        """Its own time in periods of its main oscillator."""
        return int(lib.motet_node_now(self._n))

    @property
    def cycles(self) -> int:
        """Cycles of its CPU while that was awake."""
        return int(lib.motet_node_cycles(self._n))

    @property
    def instructions(self) -> int:
        """Instructions that it has executed."""
        return int(lib.motet_node_instructions(self._n))

    @property
    def resets(self) -> int:
        """Resets since power-on."""
        return int(lib.motet_node_resets(self._n))

    @property
    def pc(self) -> int:
        """Byte address of the next instruction."""
        return int(lib.motet_node_pc(self._n))

    @property
    def sleeping(self) -> bool:
        """Whether the CPU sleeps."""
        return bool(lib.motet_node_sleeping(self._n))

    @property
    def exit(self) -> Exit:
        """How it stands."""
        return Exit(lib.motet_node_exit(self._n))

    @property
    def exit_status(self) -> int:
        """What the firmware ended the run with."""
        return int(lib.motet_node_exit_status(self._n))

    @property
    def digest(self) -> str:
        """A hash of the node's whole state."""
        return digest(lib.motet_node_digest, self._n)

    @property
    def fault(self) -> Optional[Fault]:
        """The last fault, None if there was none."""
        f = lib.motet_node_fault(self._n)
        return None if f == ffi.NULL else self._explained(f)

    def _explained(self, f: Any) -> Fault:
        words = grown(lambda to, size: lib.motet_node_explain(self._n, f, to, size), 4096)
        return Fault(text(lib.motet_fault_name(f.kind)), f.pc, f.tick, words)

    @property
    def place(self) -> str:
        """Where it is, for a person: "main+0x12 (blink.c:31)"."""
        buffer = ffi.new("char[]", 512)
        return text(lib.motet_machine_place(self._m, self.pc, buffer, 512))

    @property
    def call_chain(self) -> List[str]:
        """Functions under way with their arguments, innermost first."""
        chain: List[str] = []
        while True:
            level = len(chain)
            line = grown(lambda to, size: lib.motet_node_frame(self._n, level, to, size))
            if not line:
                return chain
            chain.append(line)

    @property
    def registers(self) -> Dict[str, int]:
        """The CPU's registers by name."""
        found: Dict[str, int] = {}
        name, size = ffi.new("const char **"), ffi.new("unsigned *")
        while lib.motet_machine_register(self._m, len(found), name, size):
            found[text(name[0])] = int(lib.motet_node_register(self._n, len(found)))
        return found

    @property
    def leds(self) -> Dict[str, bool]:
        """The board's LEDs by name: whether each is lit."""
        found: Dict[str, bool] = {}
        led = ffi.new("struct motet_led *")
        while lib.motet_machine_led(self._m, len(found), led):
            found[text(led.name)] = bool(lib.motet_node_led(self._n, len(found)))
        return found

    def value(self, expression: str) -> values.Value:
        """The value of a C expression: `total`, `routes[2].parent`, `*p`, `timer.c::ticks`.

        Numbers are int, float or bool; arrays lists (of char: bytes); structs dicts; enums ints with a name.
        """
        return values.read(self._n, expression)

    def __getitem__(self, expression: str) -> values.Value:
        """The same: `node["total"]`."""
        return self.value(expression)

    def show(self, expression: str) -> str:
        """The same as text for a person: `{parent = 3, etx = 12}`."""
        e, name = error(), expression.encode()
        shown = grown(lambda to, size: lib.motet_node_value_text(self._n, name, to, size, e))
        if not shown:
            self.value(expression)  # raises what is wrong
        return shown

    def peek(self, address: int, size: int) -> bytes:
        """Data memory and registers as they are now, without side effects."""
        buffer = ffi.new("uint8_t[]", max(size, 1))
        if size < 0 or not 0 <= address < 2**32 or not lib.motet_node_peek(self._n, address, buffer, size):
            raise MotetError(f"there is no memory of {size} bytes at data address {address:#06x}")
        return bytes(buffer)[:size]

    def store(self, which: str) -> bytes:
        """What a memory that needs no power holds: "eeprom" or "flash" (the board's serial flash memory)."""
        if which not in _STORES:
            raise MotetError(f"there is no memory '{which}'; there are {' and '.join(_STORES)}")
        size = lib.motet_node_store(self._n, _STORES[which], ffi.NULL, 0)
        if not size:
            raise MotetError(f"node {self.id} has no memory '{which}'")
        buffer = ffi.new("uint8_t[]", size)
        lib.motet_node_store(self._n, _STORES[which], buffer, size)
        return bytes(buffer)


class Node(NodeView):
    """A node of a network: it can be looked at, fed and tapped. Networks make them."""

    def __init__(self, network: "Network", pointer: Any, machine: Machine) -> None:
        super().__init__(pointer, lambda: network._c)
        self.network, self.machine = network, machine
        self.faults: List[Fault] = []  #: all that were reported so far, warnings included
        self._serials: Dict[int, Serial] = {}
        self._pins: Dict[str, Pin] = {}
        self.analog = Analog(self)  #: `node.analog[0] = 2.5`
        taps.hook(self, ["serial", "fault"], self._happened)

    def __repr__(self) -> str:
        return f"<motet.Node {self.id}, {self.machine.path} on {self.machine.board}>"

    def _happened(self, h: Happening) -> None:
        if h.what == "serial":
            self.port(h.data["line"])._heard(h.data["frame"])
        elif self.fault:
            self.faults.append(self.fault)

    def _ready(self) -> None:
        """What is done to nodes counts from here on: a timeline is not to be in the way."""
        self.network._not_in_timeline()

    # ---- ports ----

    @property
    def serial(self) -> Serial:
        """The serial port that the board leads to a computer."""
        return self.port(self.machine.terminal)

    @property
    def console(self) -> Serial:
        """What firmware that knows it is simulated prints (target/include/motet.h)."""
        return self.port(lib.MOTET_CONSOLE)

    def port(self, line: int) -> Serial:
        """A serial port by its number."""
        if line not in self._serials:
            if line != lib.MOTET_CONSOLE and not self.machine.has_serial(line):
                raise MotetError(f"{self.machine.chip} has no serial port {line}")
            self._serials[line] = Serial(self, line)
        return self._serials[line]

    def pin(self, name: str) -> Pin:
        """A pin by its name, "PB5"."""
        if name not in self._pins:
            self._pins[name] = Pin(self, name)
        return self._pins[name]

    def sense(self, quantity: str, amount: float) -> None:
        """What its sensors find from now on: `sense("temperature", 31)`, in the quantity's unit."""
        q, number, names = ffi.new("struct motet_quantity *"), 0, []
        while lib.motet_machine_quantity(self.machine._c, number, q):
            names.append(text(q.name))
            if names[-1] == quantity:
                self.analog[q.channel] = (q.offset + q.factor * amount) / 1e6
            number += 1
        if quantity not in names:
            raise MotetError(f"{self.machine.board} senses no '{quantity}'; it senses: {', '.join(sorted(set(names))) or '-'}")

    def reset(self) -> None:
        """As by the reset pin."""
        self._ready()
        lib.motet_node_reset(self._n)

    def set(self, variable: str, value: int) -> None:
        """Gives a variable a value when the firmware reaches main, after every reset. For a node that has not run yet."""
        e = error()
        checked(lib.motet_node_set(self._n, variable.encode(), value % 2**64, e), e)

    def load_store(self, which: str, path: FilePath) -> None:
        """Gives "eeprom" or "flash" the contents of a file. For a node that has not run yet."""
        if which not in _STORES:
            raise MotetError(f"there is no memory '{which}'; there are {' and '.join(_STORES)}")
        e = error()
        checked(lib.motet_node_store_load(self._n, _STORES[which], path_bytes(path), e), e)

    def on_fault(self, action: str, kinds: Optional[Sequence[str]] = None) -> None:
        """What faults bring about: "stop", "warn", "ignore" or "default"; of these kinds, or of all."""
        if action not in _ACTIONS:
            raise MotetError(f"a fault does not '{action}'; it is {', '.join(_ACTIONS)}")
        for kind in FAULTS if kinds is None else kinds:
            if kind not in FAULTS:
                raise MotetError(f"there is no fault '{kind}'; there are {', '.join(FAULTS)}")
            lib.motet_node_on_fault(self._n, FAULTS[kind], _ACTIONS[action])

    # ---- taps ----

    def probe(self, where: Union[str, int], call: Callable[[int], None], when: str = "before") -> Tap:
        """Calls `call(pc)` at code: "main", "main:body", "send:returns", "blink.c:31", an address."""
        return taps.probe(self, where, call, when)

    def watch(self, what: Union[str, range], call: Callable[[Access], None], when: str = "write after") -> Tap:
        """Calls `call(access)` when data is touched: a C expression, or a range of data addresses.

        `when` has "read" or "write", and "before" or "after".
        """
        return taps.watch(self, what, call, when)

    def alarm(self, at: Time, call: Callable[[int], None], every: Time = 0) -> Tap:
        """Calls `call(tick)` at a time of the node, and again after each `every` unless that is 0."""
        hz = self.machine.hz
        ticks = [nanoseconds(time) * hz // 1_000_000_000 for time in (at, every)]
        return taps.alarm(self, ticks[0], call, ticks[1])

    def hook(self, what: Iterable[str], call: Callable[[Happening], None]) -> Tap:
        """Calls `call(happening)` on what happens: `hook(["pin", "radio-receive"], call)`; taps.HAPPENINGS names them."""
        return taps.hook(self, [what] if isinstance(what, str) else what, call)

    def stop(self) -> None:
        """From a callback: ends the run."""
        lib.motet_node_stop(self._n)

    # ---- running ----

    @property
    def now(self) -> float:
        """The network's time in seconds."""
        return seconds(self.network.now_ns)

    def run_for(self, time: Time) -> "End":
        """Runs the network that the node is in; see Network.run_for."""
        return self.network.run_for(time)

    def run_until(self, condition: Union[Time, Callable[[], bool]], within: Time = 10, step: Time = "1ms") -> "End":
        """Runs the network that the node is in; see Network.run_until."""
        return self.network.run_until(condition, within, step)
