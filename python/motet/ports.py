"""What a node meets its surroundings with: serial ports, pins, analog lines.

Invariant: what is given depends on simulated time alone, so that a run can be repeated.
"""

from __future__ import annotations

import bisect
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, Union

from ._library import Time, ffi, lib, nanoseconds, seconds
from .errors import MotetError, Timeout
from .taps import Happening, hook

if TYPE_CHECKING:
    from .node import Node

__tracebackhide__ = True  # pytest shows the test, not this

DRIVES = {
    "floating": lib.MOTET_FLOATING,
    "pulled-up": lib.MOTET_PULLED_UP,
    "pulled-down": lib.MOTET_PULLED_DOWN,
    "low": lib.MOTET_LOW,
    "high": lib.MOTET_HIGH,
}
_TROUBLE = lib.MOTET_FRAME_FRAMING_ERROR | lib.MOTET_FRAME_BREAK


class Serial:
    """A serial port of a node: what the firmware sent, and what is sent to it.

    `output` has everything since the node began. `read` and `expect` go through it once, from front to back.
    """

    def __init__(self, node: "Node", line: int) -> None:
        self._node, self._line = node, line
        self._output, self._taken, self._pending = bytearray(), 0, bytearray()
        self._wanted: Optional["re.Pattern[str]"] = None  # what ends the run when it is there,
        self._last: Optional[int] = None  # and the byte that it ends with

    @property
    def output(self) -> bytes:
        """Everything the firmware has sent."""
        return bytes(self._output)

    @property
    def text(self) -> str:
        """The same as text."""
        return self._output.decode("utf-8", "replace")

    @property
    def lines(self) -> List[str]:
        """The same as lines without their ends. The last one may be incomplete."""
        return self.text.replace("\r\n", "\n").splitlines()

    def read(self) -> bytes:
        """What was sent since the last read or expect."""
        new = bytes(self._output[self._taken :])
        self._taken = len(self._output)
        return new

    def send(self, data: Union[bytes, str]) -> None:
        """Sends bytes or text (UTF-8) to the firmware. The port takes them at the pace of its line, while the node runs."""
        self._pending += data.encode() if isinstance(data, str) else data

    def expect(self, what: Union[str, bytes, "re.Pattern[str]"], within: Time = 10) -> "re.Match[str]":
        """Runs until the firmware has sent a text, or something that a compiled regular expression finds.

        The run ends at the byte that completes it (with several nodes at most 0.12 ms later). Timeout is raised if it
        has not come within that simulated time.
        """
        plain = None if isinstance(what, re.Pattern) else self._plain(what)
        wanted = what if isinstance(what, re.Pattern) else re.compile(re.escape(self._plain(what)))
        limit = self._node.network.now_ns + nanoseconds(within)
        self._wanted, self._last = wanted, ord(plain[-1]) if plain and plain.isascii() else None
        try:
            while not self._found():
                if self._node.network.now_ns >= limit or not self._node.network.can_go_on:
                    raise Timeout(self._missed(wanted.pattern if plain is None else plain, within))
                self._node.network._run_to(limit)
        finally:
            self._wanted = None
        found = wanted.search(self._unread())
        assert found
        self._taken += len(self._unread()[: found.end()].encode("utf-8", "surrogateescape"))
        return found

    def _unread(self) -> str:
        return self._output[self._taken :].decode("utf-8", "surrogateescape")

    def _found(self) -> bool:
        return self._wanted is not None and self._wanted.search(self._unread()) is not None

    @staticmethod
    def _plain(what: Union[str, bytes]) -> str:
        return what.decode("utf-8", "surrogateescape") if isinstance(what, bytes) else what

    def _missed(self, wanted: str, within: Time) -> str:
        limit = within if isinstance(within, str) else f"{within} s"
        unread = self._unread()
        came = f"; what came: {unread[-400:]!r}" if unread else "; nothing came"
        return f"node {self._node.id} has not sent {wanted!r} on serial port {self._line} within {limit}{came}"

    # ---- for the network ----

    def _heard(self, frame: int) -> None:
        if frame & _TROUBLE:
            return
        self._output.append(frame & 0xFF)
        if self._wanted and self._last in (None, frame & 0xFF) and self._found():
            self._node.stop()

    def _feed(self) -> None:
        if self._pending:
            took = lib.motet_node_send(self._node._n, self._line, bytes(self._pending), len(self._pending))
            del self._pending[:took]

    def _state(self) -> Tuple[int, int, bytes]:
        return len(self._output), self._taken, bytes(self._pending)

    def _restore(self, state: Tuple[int, int, bytes], output: bytes) -> None:
        length, self._taken, pending = state
        self._output, self._pending = bytearray(output[:length]), bytearray(pending)


class Pin:
    """A pin of a node's chip."""

    def __init__(self, node: "Node", name: str) -> None:
        self._node, self.name = node, name
        self.number = node.machine.pin(name)

    def __repr__(self) -> str:
        return f"<motet.Pin {self.name} of node {self._node.id}>"

    @property
    def level(self) -> bool:
        """The level as it is now, whoever drives it."""
        return bool(lib.motet_node_level(self._node._n, self.number))

    def drive(self, how: Union[str, bool]) -> None:
        """Drives it from outside: True, False, "high", "low", "pulled-up", "pulled-down" or "floating"."""
        name = ("high" if how else "low") if isinstance(how, bool) else how
        if name not in DRIVES:
            raise MotetError(f"a pin is not driven '{name}'; it is {', '.join(DRIVES)}")
        driver = lib.motet_machine_pin_driver(self._node.machine._c, self.number)
        if driver != ffi.NULL:
            raise MotetError(f"the part {ffi.string(driver).decode()} drives {self.name}; no other can")
        self._node._ready()
        lib.motet_node_drive(self._node._n, self.number, DRIVES[name])

    def release(self) -> None:
        """Lets go of it."""
        self.drive("floating")

    def record(self) -> "Recording":
        """Keeps each change of its level from now on, with its time."""
        return Recording(self)


class Recording:
    """Changes of a pin's level: a sequence of (seconds, level). A context manager, too: leaving it ends it."""

    def __init__(self, pin: Pin) -> None:
        self.changes: List[Tuple[float, bool]] = []
        self._pin, self._tap = pin, hook(pin._node, ["pin"], self._changed)

    def _changed(self, h: Happening) -> None:
        if h.data["pin"] == self._pin.number:
            node = self._pin._node
            time = lib.motet_network_time(node.network._c, node._n, h.tick)
            self.changes.append((seconds(time), h.data["level"]))

    def stop(self) -> None:
        """Ends it. The changes stay."""
        self._tap.remove()

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


Volts = Union[float, Callable[[float], float]]


@ffi.callback("motet_analog *")  # type: ignore[misc]
def _analog(context: Any, channel: int, tick: int) -> int:
    return int(ffi.from_handle(context)._at(channel, tick))


class Analog:
    """The voltages on the analog lines of a node: a number of volts, or a function of the node's time in seconds.

    What is set counts from now on. A function must depend on its argument alone.
    """

    def __init__(self, node: "Node") -> None:
        self._node, self._hz = node, node.machine.hz
        self._levels: Dict[int, Tuple[List[int], List[Volts]]] = {}
        self._context: Optional[Any] = None

    def __setitem__(self, channel: int, volts: Volts) -> None:
        if not 0 <= channel < lib.MOTET_CHANNELS or not lib.motet_machine_has_channel(self._node.machine._c, channel):
            raise MotetError(f"{self._node.machine.board} has no analog line {channel}")
        if not callable(volts) and not -1000 < volts < 1000:
            raise MotetError(f"{volts} V is no voltage for an analog line")
        self._node._ready()
        ticks, levels = self._levels.setdefault(channel, ([], []))
        now = self._node.ticks
        first = bisect.bisect_left(ticks, now)  # what was set for later belongs to a future that is given up
        ticks[first:], levels[first:] = [now], [volts]
        if self._context is None:
            self._context = ffi.new_handle(self)
            lib.motet_node_analog(self._node._n, _analog, self._context)

    def _at(self, channel: int, tick: int) -> int:
        ticks, levels = self._levels.get(channel, ([], []))
        number = bisect.bisect_right(ticks, tick) - 1
        if number < 0:
            return -(2**31)
        volts = levels[number]
        try:
            value = volts(tick / self._hz) if callable(volts) else volts
            return max(-(2**31) + 1, min(2**31 - 1, round(value * 1_000_000)))
        except BaseException as problem:  # it must not get lost in C
            self._node.network._failed(problem)
            lib.motet_node_stop(self._node._n)
            return -(2**31)

    def _state(self) -> Dict[int, Tuple[List[int], List[Volts]]]:
        return {channel: (list(t), list(v)) for channel, (t, v) in self._levels.items()}

    def _restore(self, state: Dict[int, Tuple[List[int], List[Volts]]]) -> None:
        self._levels = {channel: (list(t), list(v)) for channel, (t, v) in state.items()}
