"""Networks, timelines, saved runs, logs."""

import os
import subprocess

import pytest

import motet

FIRMWARE = os.environ["FIRMWARE"]
BOARD = f"{FIRMWARE}/python-board.elf"
BEACON = f"{FIRMWARE}/network-cc2420-beacon.elf"


def beacons(count, **options):
    network, machine = motet.Network(seed=7, **options), motet.Machine(BEACON, "micaz")
    for i in range(count):
        network.add(machine, x=10 * i)
    return network


def heard(network, seconds):
    frames = {node.id: [] for node in network.nodes}
    taps = [
        node.hook(["radio-receive"], lambda h, to=frames[node.id]: to.append(h.data["sender"])) for node in network.nodes
    ]
    network.run_for(seconds)
    for tap in taps:
        tap.remove()
    return frames


def test_nodes_hear_each_other_and_threads_change_nothing():
    one, two = beacons(3), beacons(3, threads=2)
    assert heard(one, 3) == heard(two, 3)
    assert one.digest == two.digest and one.transmissions == two.transmissions > 0
    assert [node.id for node in one.nodes] == [1, 2, 3]


def test_links_and_deaths():
    network = beacons(3)
    network.link_down(1, 2)
    frames = heard(network, 5)
    assert 1 not in frames[2] and {1, 2} <= set(frames[3])
    network.kill(network[3])
    assert not network.alive(network[3]) and heard(network, 3)[3] == []
    network.boot(network[3])
    network.link_down(1, 2, False)
    assert 1 in heard(network, 5)[2]
    with pytest.raises(motet.MotetError, match="there is no node 9; there are 1, 2, 3"):
        network[9]


def test_timeline_forward_and_backward():
    node = motet.node(BOARD, board="uno")
    with node.network.timeline() as timeline:
        one = timeline.nodes[0]
        one.stop_at("converted")
        event = timeline.run_until("1s")
        assert event.why == "stop" and one.place.startswith("converted")
        here, digest = timeline.position, timeline.digest
        assert timeline.step(one).why == "reached" and timeline.position != here
        timeline.step_back(one)
        assert timeline.position == here and timeline.digest == digest
        one.clear()
        one.watch("ticks")
        timeline.seek("105ms")
        assert one["ticks"] == 10
        event = timeline.run_back()
        assert event.why == "watch" and event.write and timeline.now == pytest.approx(0.1, abs=0.001)
        timeline.go(here)
        assert timeline.digest == digest
        one.clear()
        assert timeline.run_back().why == "begin" and timeline.now == 0
        with pytest.raises(motet.MotetError, match="the network is moved by its timeline"):
            node.run_for(1)
        with pytest.raises(motet.MotetError, match="only a saved run has an end"):
            timeline.run_until()
    node.run_for("1ms")


def test_what_is_given_in_the_past_makes_another_future():
    timeline = motet.node(BOARD, board="uno").network.timeline()
    one = timeline.nodes[0]
    timeline.seek("50ms")
    plain = timeline.digest
    timeline.seek("20ms")
    one.write("presses", 7)
    one.send("hi\n")
    one.drive("PD2", "low")
    timeline.seek("50ms")
    assert one["presses"] == 8 and timeline.digest != plain
    with pytest.raises(motet.MotetError, match="presses has 2 bytes, and 1 were given"):
        one.write("presses", b"x")


def test_save_and_open(tmp_path):
    node, file = motet.node(BOARD, board="uno"), tmp_path / "run.motet"
    node.analog[0] = 1.0
    save = node.network.save(file, {"command": "by hand"})
    node.serial.send("hello\n")
    node.run_for("300ms")
    assert not file.exists()
    save.finish()
    run = motet.SavedRun(file)
    assert (run.end, run.end_digest, run.about["command"]) == (0.3, node.network.digest, "by hand")
    assert run.verify() > 0
    run.seek("300ms")
    assert run.digest == node.network.digest and run.nodes[0]["sample"] == node["sample"]
    with motet.SavedRun(file).timeline() as timeline:
        timeline.run_until()
        assert timeline.digest == node.network.digest
        timeline.save(tmp_path / "again.motet")
    with pytest.raises(motet.MotetError, match="cannot be saved from here on"):
        unsaved = motet.node(BOARD, board="uno")
        unsaved.run_for("1ms")
        unsaved.network.save(file)
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(motet.MotetError):
        motet.SavedRun(file)


def test_an_abandoned_save_leaves_nothing(tmp_path):
    def life():
        node = motet.node(BOARD, board="uno")
        node.network.save(tmp_path / "run.motet")
        node.run_for("10ms")

    life()
    import gc

    gc.collect()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not os.path.exists(f"{FIRMWARE}/python-log.elf"), reason="this build has no motet cc")
def test_a_log_is_replayed(tmp_path):
    flash, elf = tmp_path / "flash", f"{FIRMWARE}/python-log.elf"
    subprocess.run(
        [os.environ["MOTET"], "run", "--quiet", "--board", "micaz", "--for", "2s", "--save-flash", flash, elf], check=True
    )
    log = motet.Log(flash)
    assert log.parts and log.parts[0].usable
    replay = log.replay(elf, board="micaz")
    calls = []
    replay.node.probe("depth", lambda pc: calls.append(pc))
    result = replay.run()
    assert not result.differs and result.events > 0 and "the log ends after" in result.how and calls
    again = log.replay(elf, board="micaz")
    log.close()  # its pages stay as long as a replay needs them
    with again.network.timeline() as timeline:
        one = timeline.nodes[0]
        one.stop_at("depth")
        assert timeline.run_until("10s").why == "stop"
        digest = timeline.digest
        timeline.run_until("10s")
        timeline.run_back()
        assert timeline.digest == digest
    with pytest.raises(motet.MotetError):
        motet.Log(flash).replay(BEACON, board="micaz")
