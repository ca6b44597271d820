"""Taps: probes on code, watches on data, alarms in simulated time, hooks on what happens.

Invariant: looking changes nothing. A run has the same digest with any taps as without. An exception in a callback ends
the run, and `run_for` or `run_until` raises it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Optional

from ._library import checked, enumerators, error, ffi, lib, text
from .errors import MotetError

if TYPE_CHECKING:
    from .node import Node

__tracebackhide__ = True  # pytest shows the test, not this

WHEN = {"before": lib.MOTET_BEFORE, "after": lib.MOTET_AFTER, "read": lib.MOTET_READ, "write": lib.MOTET_WRITE}
HAPPENINGS: Dict[str, int] = enumerators(lib.motet_happening_name, lib.MOTET_HAPPENINGS)


@dataclass(frozen=True)
class Access:
    """One access to data, as a watch sees it."""

    address: int
    pc: int  #: of the instruction
    value: int
    old: int  #: what was there before
    size: int
    write: bool
    after: bool


@dataclass(frozen=True)
class Happening:
    """Something that happened, as a hook sees it. `data` has what belongs to its kind."""

    what: str  #: "pin", "serial", "radio-receive" ...
    tick: int
    data: Dict[str, Any]


def _interrupt(h: Any) -> Dict[str, Any]:
    i = h.interrupt
    return {"line": i.line, "name": text(i.name), "from": getattr(i, "from"), "handler": i.handler, "sp": i.sp}


def _radio(h: Any) -> Dict[str, Any]:
    r = h.radio
    return {
        "sender": r.sender,
        "transmission": r.transmission,
        "bytes": bytes(ffi.buffer(r.bytes, r.count)) if r.bytes != ffi.NULL else b"",
        "frame": (r.frame.start, r.frame.count),
        "hertz": r.hertz,
        "dbm": r.dbm,
    }


def _access(a: Any) -> Access:
    return Access(a.address, a.pc, a.value, a.old, a.size, a.write, a.after)


#: What belongs to a happening, by its name; for all others the address of the instruction.
_DATA: Dict[str, Callable[[Any], Dict[str, Any]]] = {
    "pin": lambda h: {"pin": h.pin.pin, "level": bool(h.pin.level)},
    "serial": lambda h: {"line": h.serial.line, "frame": h.serial.frame},
    "serial-input": lambda h: {"line": h.serial.line, "frame": h.serial.frame},
    "spi": lambda h: {"bus": h.spi.bus, "out": h.spi.out, "in": getattr(h.spi, "in")},
    "interrupt-post": _interrupt,
    "interrupt-entry": _interrupt,
    "interrupt-exit": _interrupt,
    "call": lambda h: {"from": getattr(h.call, "from"), "to": h.call.to, "sp": h.call.sp},
    "return": lambda h: {"from": getattr(h.call, "from"), "to": h.call.to, "sp": h.call.sp},
    "register": lambda h: {"name": text(h.access.name), "access": _access(h.access)},
    "radio-send": _radio,
    "radio-receive": _radio,
    "radio-loss": lambda h: {**_radio(h), "why": text(lib.motet_loss_name(h.radio.why))},
    "radio-state": lambda h: {"state": ("off", "idle", "listening", "sending", "power-down")[h.state]},
    "part": lambda h: {"name": text(h.part.name), "doing": text(h.part.doing), "report": text(h.part.report)},
    "mark": lambda h: {"mark": h.mark},
    "fault": lambda h: {"kind": text(lib.motet_fault_name(h.fault.kind)), "pc": h.fault.pc},
    "reset": lambda h: {"cause": text(h.reset)},
    "logged": lambda h: {"name": text(h.logged.name), "value": h.logged.value},
}


class Tap:
    """A probe, watch, alarm or hook on a node. It can be a context manager; leaving it takes the tap off."""

    def __init__(self, node: "Node", call: Callable[..., None]) -> None:
        self._node, self._call = node, call
        self._context = ffi.new_handle(self)
        self._pointer: Optional[Any] = None

    def _placed(self, pointer: Any) -> "Tap":
        self._pointer = pointer
        self._node.network._taps.add(self)
        return self

    def remove(self) -> None:
        """Takes it off, also from inside its own callback. Removing twice does nothing."""
        pointer, self._pointer = self._pointer, None
        if pointer is not None:
            self._node.network._c
            lib.motet_tap_remove(pointer)
            self._node.network._taps.discard(self)

    def __enter__(self) -> "Tap":
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def _run(self, *arguments: Any) -> None:
        if self._pointer is None:
            return
        try:
            self._call(*arguments)
        except BaseException as problem:  # it must not get lost in C
            self._node.network._failed(problem)
            lib.motet_node_stop(self._node._n)


@ffi.callback("motet_probed *")  # type: ignore[misc]
def _probed(context: Any, node: Any, pc: int, after: bool) -> None:
    ffi.from_handle(context)._run(pc)


@ffi.callback("motet_watched *")  # type: ignore[misc]
def _watched(context: Any, node: Any, a: Any) -> None:
    ffi.from_handle(context)._run(_access(a))


@ffi.callback("motet_alarmed *")  # type: ignore[misc]
def _alarmed(context: Any, node: Any, due: int) -> None:
    ffi.from_handle(context)._run(due)


_NAMES = {number: name for name, number in HAPPENINGS.items()}


@ffi.callback("motet_hooked *")  # type: ignore[misc]
def _hooked(context: Any, node: Any, h: Any) -> None:
    name = _NAMES[h.what]
    data = _DATA[name](h) if name in _DATA else {"pc": h.pc}
    ffi.from_handle(context)._run(Happening(name, h.tick, data))


def _flags(words: str) -> int:
    flags = 0
    for word in words.split():
        if word not in WHEN:
            raise MotetError(f"'{word}' is none of before, after, read and write")
        flags |= WHEN[word]
    return flags


def probe(node: "Node", where: "str | int", call: Callable[[int], None], when: str) -> Tap:
    """See Node.probe."""
    tap, e = Tap(node, call), error()
    if isinstance(where, int):
        return tap._placed(lib.motet_probe(node._n, where, where, _flags(when), _probed, tap._context))
    return tap._placed(checked(lib.motet_probe_named(node._n, where.encode(), _flags(when), _probed, tap._context, e), e))


def watch(node: "Node", what: "str | range", call: Callable[[Access], None], when: str) -> Tap:
    """See Node.watch."""
    tap, e = Tap(node, call), error()
    if isinstance(what, range):
        return tap._placed(lib.motet_watch(node._n, what[0], what[-1], _flags(when), _watched, tap._context))
    return tap._placed(checked(lib.motet_watch_named(node._n, what.encode(), _flags(when), _watched, tap._context, e), e))


def alarm(node: "Node", tick: int, call: Callable[[int], None], period: int) -> Tap:
    """See Node.alarm."""
    tap = Tap(node, call)
    return tap._placed(lib.motet_alarm(node._n, lib.MOTET_TICKS, tick, period, _alarmed, tap._context))


def hook(node: "Node", what: Iterable[str], call: Callable[[Happening], None]) -> Tap:
    """See Node.hook."""
    mask = 0
    for name in what:
        if name not in HAPPENINGS:
            raise MotetError(f"'{name}' does not happen; these do: {', '.join(HAPPENINGS)}")
        mask |= 1 << HAPPENINGS[name]
    tap = Tap(node, call)
    return tap._placed(lib.motet_hook(node._n, mask, _hooked, tap._context))
