"""Motet: run, test and debug the firmware of microcontrollers, cycle by cycle, without the hardware.

    import motet

    node = motet.node("sketch.elf", board="uno")
    node.serial.expect("ready", within="2s")
    node.pin("PD2").drive("low")
    node.run_for("10ms")
    assert node["presses"] == 1

A *machine* is a firmware on a board. A *node* is one life of it. Nodes belong to a *network*, which runs them. Everything
they do follows from their machines, the seed and what is fed to them: the same test gives the same digest on every
computer. docs/python.md is the tutorial; `pytest` finds Motet's fixtures by itself (motet.pytest_plugin).
"""

from __future__ import annotations

from typing import Any, Optional

from .errors import ClosedError, FirmwareFault, MotetError, Timeout
from .log import Log, LogPart, Replay, ReplayResult
from .machine import Board, FilePath, Firmware, Led, Machine, Symbol, boards
from .network import End, Network, Save, Snapshot
from .node import Exit, Fault, Node, NodeView
from .ports import Analog, Pin, Recording, Serial
from .saved import SavedRun
from .taps import HAPPENINGS, Access, Happening, Tap
from .timeline import Event, Position, Timeline, TimelineNode
from .values import Enumerator, Value


def node(path: FilePath, board: Optional[str] = None, *, id: int = 0, seed: int = 0, **options: Any) -> Node:
    """A node alone, ready to run: `Machine(path, board, **options)` in a network of one."""
    return Network.of_one(Machine(path, board, **options), id, seed).nodes[0]


__all__ = [
    "HAPPENINGS",
    "Access",
    "Analog",
    "Board",
    "ClosedError",
    "End",
    "Enumerator",
    "Event",
    "Exit",
    "Fault",
    "FilePath",
    "Firmware",
    "FirmwareFault",
    "Happening",
    "Led",
    "Log",
    "LogPart",
    "Machine",
    "MotetError",
    "Network",
    "Node",
    "NodeView",
    "Pin",
    "Position",
    "Recording",
    "Replay",
    "ReplayResult",
    "Save",
    "SavedRun",
    "Serial",
    "Snapshot",
    "Symbol",
    "Tap",
    "Timeline",
    "TimelineNode",
    "Timeout",
    "Value",
    "boards",
    "node",
]
