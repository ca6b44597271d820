"""The fixtures, in a pytest of their own: a test that fails keeps its run."""

import os
import re
import stat
import xml.etree.ElementTree

import pytest

import motet

pytest_plugins = ["pytester"]
BOARD = f"{os.environ['FIRMWARE']}/python-board.elf"

TESTS = f"""
def test_good(motet_node):
    motet_node({BOARD!r}, board="uno").serial.expect("ready")

def test_bad(motet_node):
    node = motet_node({BOARD!r}, board="uno")
    node.run_for("20ms")
    assert node["ticks"] == 3

def test_crash(motet_network, motet_machine):
    network = motet_network(seed=5)
    network.add(motet_machine({BOARD!r}, "uno")).serial.send("crash\\n")
    network.run_for("1s")

def test_timeline(motet_node):
    node = motet_node({BOARD!r}, board="uno")
    node.run_for("1ms")
    timeline = node.network.timeline()
    timeline.seek("30ms")
    assert timeline.nodes[0]["ticks"] == 1

def test_torn(motet_node):
    node = motet_node({BOARD!r}, board="uno")
    node.run_for("1ms")
    node.network.snapshot().restore()
    node.run_for("1ms")
    assert False
"""


def run(pytester, *arguments):
    return pytester.runpytest_subprocess("-q", "-p", "no:cacheprovider", *arguments)


def test_a_failed_test_keeps_its_run(pytester):
    pytester.makepyfile(test_it=TESTS)
    result = run(pytester, "--junitxml=junit.xml")
    result.assert_outcomes(passed=1, failed=4)
    result.stdout.fnmatch_lines(["the run is in motet-failed/test_it.py-test_bad.motet; motet open --debug *"])
    kept = sorted(path.name for path in (pytester.path / "motet-failed").glob("*.motet"))
    assert kept == [f"test_it.py-test_{name}.motet" for name in ("bad", "crash", "timeline")]
    result.stdout.fnmatch_lines(["*not kept: *"])
    page = (pytester.path / "motet-failed" / "test_it.py-test_bad.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>")

    saved = motet.SavedRun(pytester.path / "motet-failed" / "test_it.py-test_bad.motet")
    assert saved.about["command"] == "pytest test_it.py::test_bad" and saved.end == 0.02
    assert saved.verify() > 0
    crash = motet.SavedRun(pytester.path / "motet-failed" / "test_it.py-test_crash.motet")
    assert crash.seed == 5 and "erased flash" in crash.about["ended"]
    with crash.timeline() as timeline:
        timeline.run_until()
        assert timeline.nodes[0].exit is motet.Exit.FAULT

    properties = xml.etree.ElementTree.parse(pytester.path / "junit.xml").iter("property")
    assert len([p for p in properties if p.get("name") == "motet-run" and os.path.exists(p.get("value"))]) == 3


def test_runs_are_kept_elsewhere_or_not_at_all(pytester):
    pytester.makepyfile(test_it=TESTS)
    run(pytester, "--motet-keep=none", "-k", "bad or good")
    assert not (pytester.path / "motet-failed").exists()
    pytester.makeini("[pytest]\nmotet_keep = elsewhere\n")
    run(pytester, "-k", "good or bad")
    assert [path.name for path in (pytester.path / "elsewhere").glob("*.motet")] == ["test_it.py-test_bad.motet"]


def test_a_page_lies_beside_it_where_the_program_can_write_one(pytester, monkeypatch):
    program = pytester.path / "motet"
    program.write_text('#!/bin/sh\n[ "$1 $2" = "help report" ] || echo "page of $2" >"$4"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("MOTET", str(program))
    pytester.makepyfile(test_it=TESTS)
    result = run(pytester, "-k", "bad")
    result.stdout.fnmatch_lines(["a page of it is in *test_it.py-test_bad.html"])
    page = (pytester.path / "motet-failed" / "test_it.py-test_bad.html").read_text()
    assert re.fullmatch(r"page of .*test_bad\.motet\n", page)
    monkeypatch.setenv("MOTET", "/bin/false")
    assert run(pytester, "-k", "bad").ret == pytest.ExitCode.TESTS_FAILED


def test_a_firmware_beside_the_test_is_found(pytester):
    folder = pytester.mkdir("below")
    os.symlink(BOARD, folder / "mine.elf")
    (folder / "test_it.py").write_text('def test_it(motet_node):\n    motet_node("mine.elf").serial.expect("ready")\n')
    run(pytester).assert_outcomes(passed=1)
