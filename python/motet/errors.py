"""What Motet raises. Every message is Motet's own sentence: what failed, where, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .node import Fault


class MotetError(Exception):
    """Something could not be done; the message is a sentence that says why."""


class ClosedError(MotetError):
    """An object is used after it was closed."""


class Timeout(MotetError, AssertionError):
    """What a test waits for did not come within its simulated time."""


class FirmwareFault(MotetError, AssertionError):
    """The firmware did what a real chip would hide, such as a stack overflow. `fault` says what and where."""

    def __init__(self, text: str, node: int, fault: Optional["Fault"]) -> None:
        super().__init__(text)
        self.node = node  #: id of the node
        self.fault = fault
