"""Fixtures for pytest. A test that fails keeps its run in a file, which a debugger opens, forward and backward.

    def test_hello(motet_node):
        node = motet_node("sketch.elf", board="uno")
        node.serial.expect("hello", within="1s")

The file is in the folder of `--motet-keep` (or `motet_keep` in the ini file; "motet-failed" otherwise), its name is in the
test's report and in the properties of `--junitxml`. Where the program has the verb `report`, a page lies beside it.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, Generator, List, Optional, Tuple

import pytest

import motet


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option and its twin in the ini file."""
    text = "folder for the saved runs of tests that fail, by default motet-failed; 'none' keeps none"
    parser.getgroup("motet").addoption("--motet-keep", metavar="FOLDER", help=text)
    parser.addini("motet_keep", text, default="motet-failed")


class Kept:
    """The runs of one test. They are saved while they go on, and given up where the test passes."""

    def __init__(self, request: pytest.FixtureRequest, folder: Optional[Path]) -> None:
        self.networks: List[Tuple[motet.Network, List[motet.Save]]] = []
        self._request, self._folder = request, folder

    def path(self, path: motet.FilePath) -> str:
        """A firmware's file: beside the test, if it is there; else as it was given."""
        beside = Path(str(self._request.node.path)).parent / path
        return str(beside if beside.exists() else path)

    def add(self, network: motet.Network) -> motet.Network:
        """Saves it from its first run on."""
        saves: List[motet.Save] = []
        self.networks.append((network, saves))
        if self._folder:
            path = self._file(len(self.networks))
            network._at_begin.append(lambda: saves.append(self._begin(network, path)))
        return network

    def _file(self, number: int) -> Path:
        assert self._folder
        name = re.sub(r"[^\w.]+", "-", self._request.node.nodeid).strip("-")
        return self._folder / f"{name}{f'-{number}' if number > 1 else ''}.motet"

    def _begin(self, network: motet.Network, path: Path) -> motet.Save:
        path.parent.mkdir(parents=True, exist_ok=True)
        save = network.save(path, {"command": f"pytest {self._request.node.nodeid}"})
        save.gives_way = True
        return save

    def finish(self, ended: str) -> List[str]:
        """Completes the files; what there is to say about them, a line each."""
        lines = []
        for number, (network, saves) in enumerate(self.networks, 1):
            try:
                path = self._finish(network, saves, ended, number)
                lines += [str(path)] if path else []
            except motet.MotetError as problem:
                lines.append(f"not kept: {problem}")
        return lines

    def _finish(self, network: motet.Network, saves: List[motet.Save], ended: str, number: int) -> Optional[Path]:
        timeline = network._open_timeline() if self._folder else None
        if timeline:
            path = self._file(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            timeline.save(path)
            return path
        if not saves or saves[0].closed:
            return None
        saves[0].about("ended", ended)
        saves[0].finish()
        return Path(saves[0].path)

    def end(self) -> None:
        """The test is over."""
        for network, saves in self.networks:
            for save in saves:
                save.abandon()
            network.close()
        if self._folder and self._folder.is_dir() and not any(self._folder.iterdir()):
            self._folder.rmdir()


_KEPT: "pytest.StashKey[Kept]" = pytest.StashKey()


def _folder(config: pytest.Config) -> Optional[Path]:
    name = config.getoption("--motet-keep") or config.getini("motet_keep")
    return None if name == "none" else Path(str(config.rootpath)) / str(name)


@pytest.fixture
def motet_kept(request: pytest.FixtureRequest) -> Generator[Kept, None, None]:
    """The runs of this test; the other fixtures use it."""
    kept = Kept(request, _folder(request.config))
    request.node.stash[_KEPT] = kept
    yield kept
    kept.end()


@pytest.fixture(scope="session")
def motet_machines() -> Dict[Any, motet.Machine]:
    """Machines that were loaded, shared by all tests."""
    return {}


@pytest.fixture
def motet_machine(motet_kept: Kept, motet_machines: Dict[Any, motet.Machine]) -> Callable[..., motet.Machine]:
    """Loads a firmware: `motet_machine("sketch.elf", board="uno")`. A path is taken from the test's folder, too."""

    def load(path: motet.FilePath, board: Optional[str] = None, **options: Any) -> motet.Machine:
        file = motet_kept.path(path)
        key = (file, os.stat(file).st_mtime_ns if os.path.exists(file) else 0, board, repr(options))
        if key not in motet_machines:
            motet_machines[key] = motet.Machine(file, board, **options)
        return motet_machines[key]

    return load


@pytest.fixture
def motet_node(motet_kept: Kept, motet_machine: Callable[..., motet.Machine]) -> Callable[..., motet.Node]:
    """Makes a node alone: `motet_node("sketch.elf", board="uno")`."""

    def make(path: motet.FilePath, board: Optional[str] = None, *, id: int = 0, seed: int = 0, **options: Any) -> motet.Node:
        return motet_kept.add(motet.Network.of_one(motet_machine(path, board, **options), id, seed)).nodes[0]

    return make


@pytest.fixture
def motet_network(motet_kept: Kept) -> Callable[..., motet.Network]:
    """Makes a network: `motet_network(seed=7)`; nodes are added to it."""

    def make(seed: int = 0, **options: Any) -> motet.Network:
        return motet_kept.add(motet.Network(seed, **options))

    return make


@functools.lru_cache(maxsize=None)
def _program() -> Optional[str]:
    """The program, if it has the verb `report`."""
    program = os.environ.get("MOTET") or shutil.which("motet")
    if not program:
        return None
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    known = subprocess.run([program, "help", "report"], check=False, **quiet)  # type: ignore[call-overload]
    return program if known.returncode == 0 else None


def _page(run: str) -> Optional[str]:
    """The page of a saved run, where the program can write one."""
    program, page = _program(), str(Path(run).with_suffix(".html"))
    if not program or not os.path.exists(run):
        return None
    made = subprocess.run([program, "report", run, "--output", page], check=False, capture_output=True)
    return page if made.returncode == 0 and os.path.exists(page) else None


def _shown(path: str) -> str:
    """A path as a person would give it from here."""
    near = os.path.relpath(path)
    return path if near.startswith("..") else near


@pytest.hookimpl(hookwrapper=True)  # type: ignore[misc]
def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]") -> Generator[None, Any, None]:
    """A failed test names its saved runs."""
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    kept = item.stash.get(_KEPT, None)
    if not report.failed or kept is None:
        return
    said = str(call.excinfo.value).splitlines() if call.excinfo else []
    lines = []
    for path in kept.finish(said[0] if said else "failed"):
        if path.startswith("not kept"):
            lines.append(path)
            continue
        lines.append(f"the run is in {_shown(path)}; motet open --debug goes through it, forward and backward")
        item.user_properties.append(("motet-run", path))
        page = _page(path)
        if page:
            lines.append(f"a page of it is in {_shown(page)}")
            item.user_properties.append(("motet-report", page))
    if lines:
        report.sections.append(("motet", "\n".join(lines)))
