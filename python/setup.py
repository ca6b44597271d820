"""Adds to the package what comes from Motet itself: the declarations of its C interface, and where its library lies.

The headers are those of the source tree, or those that pkg-config knows. MOTET_PREFIX is the folder of another installation.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import declarations  # noqa: E402  it lies beside this file


def asked(variable: str) -> str:
    """What pkg-config says; "" if it knows nothing of Motet."""
    environment = dict(os.environ)
    if "MOTET_PREFIX" in environment:
        environment["PKG_CONFIG_PATH"] = os.path.join(environment["MOTET_PREFIX"], "lib/pkgconfig")
    try:
        answer = subprocess.run(["pkg-config", *variable.split(), "motet"], capture_output=True, text=True, env=environment)
    except OSError:
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""


def source_tree() -> bool:
    """Whether this folder is in Motet's source tree, and no other installation was asked for."""
    return "MOTET_PREFIX" not in os.environ and (HERE.parent / "include/motet/motet.h").exists()


def include() -> Path:
    """The folder that holds motet/motet.h."""
    folder = HERE.parent / "include" if source_tree() else Path(asked("--variable=includedir") or "/usr/include")
    if not (folder / "motet/motet.h").exists():
        sys.exit(
            f"motet: {folder}/motet/motet.h is not there; install libmotet-dev, or give the folder that Motet was installed to "
            "in the environment variable MOTET_PREFIX"
        )
    return folder


def libraries() -> "list[str]":
    """Folders in which the library may lie, from that of the package or from the root: the build of Motet says which."""
    if "MOTET_LIBRARY_FOLDERS" in os.environ:
        return os.environ["MOTET_LIBRARY_FOLDERS"].split(":")
    return [folder for folder in [asked("--variable=libdir"), str(HERE.parent / "build") if source_tree() else ""] if folder]


def version() -> str:
    """Motet's own."""
    listed = HERE.parent / "CMakeLists.txt"
    found = re.search(r"project\(motet VERSION ([0-9.]+)", listed.read_text()) if source_tree() and listed.exists() else None
    return found[1] if found else asked("--modversion") or "0"


class Build(build_py):
    """Copies the modules and writes the two that come from Motet."""

    def run(self) -> None:
        super().run()
        package = Path(self.build_lib) / "motet"
        declarations.write(include(), package / "_declarations.py")
        text = '"""Where the shared library lies; written when the package was built."""\n\n'
        (package / "_build.py").write_text(f"{text}LIBRARY_FOLDERS = {libraries()!r}\n")


setup(version=version(), cmdclass={"build_py": Build})
