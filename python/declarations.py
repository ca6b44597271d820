"""Makes the Python declarations of Motet's C interface out of its public headers.

The headers are the only place where the interface is written down. This program follows `#include "motet/..."` from
motet/motet.h on, leaves out what is for C alone (comments, guards, inline functions) and lets cffi write a Python module.
It needs no C compiler. Invariant: the output depends on the headers alone.

usage: declarations.py INCLUDE OUTPUT    (the folder that holds motet/motet.h, and the module to write)
"""

import contextlib
import hashlib
import re
import sys
from pathlib import Path
from typing import Dict, List, Set

_LIMITS = {"UINT64_MAX": 2**64 - 1, "UINT32_MAX": 2**32 - 1, "SIZE_MAX": 2**64 - 1}
_INCLUDE = re.compile(r'\s*#\s*include\s+"(motet/[^"]+)"')
_NUMBER = re.compile(r"\s*#\s*define\s+(MOTET_\w+)\s+(?:UINT\d+_C\()?(\w+)\)?\s*$")
_INLINE = re.compile(r"^static inline [^;{]*\{.*?^\}", re.MULTILINE | re.DOTALL)


def _without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL).replace("\\\n", " ")


def _without_cplusplus(text: str) -> str:
    return re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL)


def _number(word: str) -> "int | None":
    if word in _LIMITS:
        return _LIMITS[word]
    try:
        return int(word, 0)
    except ValueError:
        return None


def _read(include: Path, name: str, seen: Set[str], numbers: Dict[str, int], lines: List[str]) -> None:
    if name in seen:
        return
    seen.add(name)
    text = _INLINE.sub("", _without_cplusplus(_without_comments((include / name).read_text())))
    for line in text.splitlines():
        included, number = _INCLUDE.match(line), _NUMBER.match(line)
        if included:
            _read(include, included[1], seen, numbers, lines)
        elif number and _number(number[2]) is not None:
            numbers[number[1]] = int(_number(number[2]) or 0)
        elif line.strip() and not line.lstrip().startswith("#"):
            lines.append(line.rstrip())


def declarations(include: Path) -> str:
    """The C declarations, as cffi takes them."""
    numbers: Dict[str, int] = {}
    lines: List[str] = []
    _read(include, "motet/motet.h", set(), numbers, lines)
    defines = [f"#define {name} {value}" for name, value in numbers.items()]
    return "\n".join(defines) + "\n" + "\n".join(lines) + "\nvoid free(void *);\n"


def interface_id(include: Path) -> str:
    """What motet_interface_id of a library with these headers says: a hash of their hashes (cmake/build-id.cmake)."""
    headers = sorted((include / "motet").rglob("*.h"), key=lambda path: path.relative_to(include).as_posix())
    hashes = "".join(hashlib.sha256(path.read_bytes()).hexdigest() for path in headers)
    return hashlib.sha256(hashes.encode()).hexdigest()


def write(include: Path, output: Path) -> None:
    """Writes the module with all declarations."""
    import cffi

    ffi = cffi.FFI()
    text = declarations(include)
    for name, value in re.findall(r"^#define (\w+) (\d+)$", text, flags=re.MULTILINE):
        text = re.sub(rf"\[{name}\]", f"[{value}]", text)
    ffi.cdef(text)
    ffi.set_source("motet._declarations", None)
    output.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.redirect_stdout(None):  # cffi tells what it does
        ffi.emit_python_code(str(output))
    with output.open("a") as module:
        module.write(f'INTERFACE_ID = "{interface_id(include)}"\n')


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: declarations.py INCLUDE OUTPUT")
    write(Path(sys.argv[1]), Path(sys.argv[2]))
