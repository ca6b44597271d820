"""Machines: a firmware on a board or a bare chip. A machine never changes, and nodes share it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional, Sequence, Union

from ._library import Owner, checked, error, ffi, lib, optional_text, path_bytes, text
from .errors import MotetError

__tracebackhide__ = True  # pytest shows the test, not this

FilePath = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Board:
    """A board or a bare chip that Motet knows."""

    name: str
    alias: Optional[str]
    chip: str
    instruction_set: str
    hz: int  #: of the CPU after reset
    is_chip: bool


@dataclass(frozen=True)
class Led:
    """An LED of a board."""

    name: str
    pin: int
    active_low: bool


@dataclass(frozen=True)
class Symbol:
    """A name in the firmware's file."""

    name: str
    kind: str  #: "label", "function" or "variable"
    address: int
    size: int


@dataclass(frozen=True)
class Firmware:
    """What a firmware needs of its chip."""

    built_for: Optional[str]
    flash_size: int
    flash_used: int
    ram_size: int
    ram_used: int


def boards() -> List[Board]:
    """All boards, then all bare chips."""
    found: List[Board] = []
    info = ffi.new("struct motet_board_info *")
    while lib.motet_board(len(found), info):
        found.append(
            Board(
                text(info.name), optional_text(info.alias), text(info.chip), text(info.instruction_set), info.hz, info.is_chip
            )
        )
    return found


def machine_options(
    board: Optional[str], hz: int, fuses: Sequence[int], lock: int, parts: Sequence[str]
) -> "tuple[Any, list[Any]]":
    """A `struct motet_options`, and what it points to."""
    keep: List[Any] = [ffi.new("char[]", part.encode()) for part in parts]
    list_of_parts = ffi.new("const char *[]", keep) if keep else ffi.NULL
    name = ffi.new("char[]", board.encode()) if board else ffi.NULL
    keep += [list_of_parts, name]
    if len(fuses) != 3:
        raise MotetError("fuses are three numbers: extended, high, low; -1 is what the firmware or the chip says")
    options = ffi.new(
        "struct motet_options *",
        {"board": name, "hz": hz, "fuses": list(fuses), "lock": lock, "parts": list_of_parts, "part_count": len(parts)},
    )
    return options, keep


class Machine(Owner):
    """A firmware (ELF, Intel HEX or S-records) on a board or a chip.

    `board` is what the firmware says it was built for where it is left out. `parts` are parts from outside, each
    as `motet run --part` takes it.
    """

    _kind = "machine"

    def __init__(
        self,
        path: FilePath,
        board: Optional[str] = None,
        *,
        hz: int = 0,
        fuses: Sequence[int] = (-1, -1, -1),
        lock: int = -1,
        parts: Sequence[str] = (),
    ) -> None:
        options, keep = machine_options(board, hz, fuses, lock, parts)
        e = error()
        pointer = checked(lib.motet_machine_load(path_bytes(path), options, e), e)
        del keep
        self._own(pointer, lib.motet_machine_free)

    def __repr__(self) -> str:
        return f"<motet.Machine {self.path} on {self.board}>"

    @property
    def path(self) -> str:
        """The firmware's file, as it was given."""
        return text(lib.motet_machine_path(self._c))

    @property
    def board(self) -> str:
        """The board, or the chip where there is no board."""
        return text(lib.motet_machine_board(self._c))

    @property
    def chip(self) -> str:
        """The chip."""
        return text(lib.motet_machine_chip(self._c))

    @property
    def hz(self) -> int:
        """Ticks a second: periods of the board's main oscillator."""
        return int(lib.motet_machine_hz(self._c))

    @property
    def cpu_hz(self) -> int:
        """Cycles of the CPU a second, after reset."""
        return int(lib.motet_machine_cpu_hz(self._c))

    @property
    def terminal(self) -> int:
        """The serial port that the board leads to a computer."""
        return int(lib.motet_machine_terminal(self._c))

    @property
    def firmware(self) -> Firmware:
        """What the firmware needs."""
        f = ffi.new("struct motet_firmware *")
        lib.motet_machine_firmware(self._c, f)
        return Firmware(optional_text(f.built_for), f.flash_size, f.flash_used, f.ram_size, f.ram_used)

    @property
    def leds(self) -> List[Led]:
        """The board's LEDs."""
        found: List[Led] = []
        led = ffi.new("struct motet_led *")
        while lib.motet_machine_led(self._c, len(found), led):
            found.append(Led(text(led.name), led.pin, led.active_low))
        return found

    def pin(self, name: str) -> int:
        """The number of a pin, "PB5"."""
        number = lib.motet_machine_pin_named(self._c, name.encode())
        if number < 0:
            raise MotetError(f"{self.chip} has no pin '{name}'; its pins have names such as {self._some_pin()}")
        return int(number)

    def _some_pin(self) -> str:
        name = ffi.new("char[8]")
        count = lib.motet_machine_pins(self._c)
        return next((text(name) for i in range(count) if lib.motet_machine_pin_name(self._c, i, name)), "PB5")

    def has_serial(self, line: int) -> bool:
        """Whether the chip has that serial port."""
        return bool(line >= 0 and lib.motet_machine_has_serial(self._c, line))

    def symbols(self) -> Iterator[Symbol]:
        """The names in the firmware's file."""
        s, number = ffi.new("struct motet_symbol *"), 0
        while lib.motet_machine_symbol(self._c, number, s):
            yield Symbol(text(s.name), ("label", "function", "variable")[s.kind], s.address, s.size)
            number += 1

    def find(self, where: str) -> List[int]:
        """Code addresses of "main", "main:body", "send:returns", "blink.c:31" or "0x1234"."""
        room = 64
        while True:
            addresses, e = ffi.new("uint32_t[]", room), error()
            count = checked(lib.motet_machine_find(self._c, where.encode(), addresses, room, e), e)
            if count <= room:
                return list(addresses[0:count])
            room = count

    def place(self, address: int) -> str:
        """A code address for a person: "main+0x12 (blink.c:31)"."""
        buffer = ffi.new("char[]", 512)
        return text(lib.motet_machine_place(self._c, address, buffer, 512))
