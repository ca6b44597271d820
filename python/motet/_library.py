"""Finds and opens the shared library, and owns what comes out of it.

Invariant: a C object is freed once, after all objects that need it, whatever the order in which Python lets go of them.
"""

from __future__ import annotations

import math
import os
import weakref
from pathlib import Path
from typing import Any, Callable, List, Optional, Union

from . import _build
from ._declarations import INTERFACE_ID
from ._declarations import ffi as _ffi
from .errors import ClosedError, MotetError

__tracebackhide__ = True  # pytest shows the test, not this

ffi: Any = _ffi
SONAME = "libmotet.so.0"

#: A time: seconds as a number, or as Motet's command line takes it: "1.5ms", "200us", "3min".
Time = Union[int, float, str]


def _candidates() -> List[str]:
    asked = os.environ.get("MOTET_LIBRARY")
    if asked:
        return [asked]
    here = Path(__file__).resolve().parent
    found = [here / folder / SONAME for folder in _build.LIBRARY_FOLDERS]
    return [str(path) for path in found if path.exists()] + [SONAME]


def _open() -> Any:
    candidates = _candidates()
    for path in candidates:
        try:
            return ffi.dlopen(path)
        except OSError as problem:
            reason = str(problem)
    raise ImportError(
        f"Motet's shared library cannot be opened ({reason.splitlines()[0]}); install libmotet0, or give its path in the "
        "environment variable MOTET_LIBRARY"
    )


def _checked(library: Any) -> Any:
    """Structs of another version would be read wrongly, in silence."""
    try:
        same = ffi.string(library.motet_interface_id()).decode() == INTERFACE_ID
    except AttributeError:
        same = False
    if not same:
        raise ImportError(
            "Motet's shared library is of another version than this Python package; install both from one build of Motet"
        )
    return library


lib: Any = _checked(_open())


class Handle:
    """A C object, the function that frees it, and the handles of objects that must live longer."""

    def __init__(self, pointer: Any, free: Callable[[Any], None], *needs: "Handle") -> None:
        self._pointer, self._free, self._needs = pointer, free, list[Handle]()
        self._users, self._wanted = 0, True
        for handle in needs:
            self.need(handle)

    def need(self, handle: "Handle") -> None:
        """The other object must live longer than this one."""
        handle._users += 1
        self._needs.append(handle)

    def release(self) -> None:
        """It is not wanted any more; it is freed as soon as nothing needs it."""
        self._wanted = False
        self._drop()

    def forget(self) -> None:
        """A C function has taken the object, or is about to: it is not freed here."""
        self._free = lambda pointer: None
        self.release()

    def _drop(self) -> None:
        if self._wanted or self._users or self._pointer is None:
            return
        pointer, self._pointer = self._pointer, None
        self._free(pointer)
        needs, self._needs = self._needs, []
        for handle in needs:
            handle._users -= 1
            handle._drop()

    def use(self, what: str) -> Any:
        """The C object; an exception if it was closed."""
        if not self._wanted:
            raise ClosedError(f"the {what} is closed")
        return self._pointer


class Owner:
    """A Python object that owns a C object until it is closed or collected."""

    _kind = "object"

    def _own(self, pointer: Any, free: Callable[[Any], None], *needs: Handle) -> None:
        self._handle = Handle(pointer, free, *needs)
        self._finalizer = weakref.finalize(self, self._handle.release)

    @property
    def _c(self) -> Any:
        return self._handle.use(self._kind)

    def close(self) -> None:
        """Lets go of it now. Closing twice does nothing."""
        self._finalizer()


def error() -> Any:
    """A new `struct motet_error`."""
    return ffi.new("struct motet_error *")


def raise_error(e: Any) -> None:
    """Raises what a C function said."""
    raise MotetError(text(e.text))


def checked(result: Any, e: Any) -> Any:
    """The result of a C function, or its sentence as an exception if it is NULL or false."""
    if not result:
        raise_error(e)
    return result


def text(pointer: Any) -> str:
    """A C string, "" for NULL."""
    return str(ffi.string(pointer).decode("utf-8", "replace")) if pointer != ffi.NULL else ""


def optional_text(pointer: Any) -> Optional[str]:
    """A C string, None for NULL."""
    return None if pointer == ffi.NULL else text(pointer)


def path_bytes(path: Union[str, "os.PathLike[str]"]) -> bytes:
    """A path as C takes it."""
    return os.fsencode(path)


def nanoseconds(time: Time) -> int:
    """A time in nanoseconds, exactly as it was written."""
    if isinstance(time, str):
        span, e = ffi.new("struct motet_span *"), error()
        checked(lib.motet_read_time(time.encode(), span, e), e)
        if span.in_ticks:
            raise MotetError(f"'{time}' counts ticks of one node; give a time such as 10ms")
        return int(span.nanoseconds)
    if not math.isfinite(time) or time < 0:
        raise MotetError(f"{time} is no time; give seconds from 0 on, or a text such as 10ms")
    return round(time * 1_000_000_000)


def seconds(time: int) -> float:
    """Nanoseconds as seconds."""
    return time / 1_000_000_000


def digest(ask: Callable[[Any, Any], None], pointer: Any) -> str:
    """The digest that a C function writes: 32 hexadecimal digits."""
    buffer = ffi.new("char[]", lib.MOTET_DIGEST_TEXT)
    ask(pointer, buffer)
    return text(buffer)


def grown(ask: Callable[[Any, int], Any], size: int = 256) -> str:
    """The text of a C function that returns its whole length, however long it is."""
    while True:
        buffer = ffi.new("char[]", size)
        length = ask(buffer, size)
        if length < size:
            return text(buffer)
        size = length + 1


def enumerators(names: Callable[[int], Any], count: int) -> "dict[str, int]":
    """Numbers of an enum by the names that a C function has for them."""
    return {text(names(i)): i for i in range(count)}
