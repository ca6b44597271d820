"""A node alone: ports, variables, taps, snapshots, faults."""

import gc
import os
import re

import pytest

import motet

FIRMWARE = os.environ["FIRMWARE"]
BOARD = f"{FIRMWARE}/python-board.elf"


@pytest.fixture
def node():
    return motet.node(BOARD, board="uno")


def test_machine_says_what_it_is(node):
    machine = node.machine
    assert (machine.board, machine.chip, machine.hz) == ("uno", "atmega328p", 16_000_000)
    assert machine.firmware.built_for == "atmega328p" and 0 < machine.firmware.flash_used < machine.firmware.flash_size
    assert [led.name for led in machine.leds] == ["L"]
    assert "converted" in {s.name for s in machine.symbols() if s.kind == "function"}
    assert machine.place(machine.find("main")[0]).startswith("main (board.c:")


def test_serial_port_both_ways(node):
    node.serial.expect("ready\n", within="100ms")
    node.serial.send("one\n")
    assert node.serial.expect(re.compile(r"got (\w+)\n"), within="1s")[1] == "one"
    node.serial.send(b"two\n")
    node.serial.expect(b"got two\n")
    assert node.serial.read() == b""
    assert node.serial.lines == ["ready", "got one", "got two"]


def test_a_long_input_goes_at_the_pace_of_the_line(node):
    node.serial.send("".join(f"line {i}\n" for i in range(20)))
    node.serial.expect("got line 0\n", within="5s")


def test_what_does_not_come_is_a_timeout_with_what_came(node):
    with pytest.raises(motet.Timeout, match=r"node 0 has not sent 'never' on serial port 0 within 1s; what came: 'ready"):
        node.serial.expect("never", within="1s")
    assert node.now == 1.0


def test_values_of_all_kinds(node):
    node.run_for("10ms")
    assert node["routes[1].etx"] == 300
    assert node["routes"] == [
        {"parent": 1, "etx": -20, "used": True},
        {"parent": 2, "etx": 300, "used": False},
        {"parent": 7, "etx": 0, "used": True},
    ]
    assert node["routes[0].used"] is True
    assert node["greeting"] == b"hello\0\0\0"
    assert node["ratio"] == 1.5
    assert node["mood"] == 5 and node["mood"].name == "BUSY"
    assert node["*pointer"] == 0
    assert node.show("routes[0]") == "{parent = 1, etx = -20, used = true}"
    for bad in ("nothing", "routes[9", "", "\0", "ä", "routes.parent"):
        with pytest.raises(motet.MotetError):
            node[bad]
        with pytest.raises(motet.MotetError):
            node.show(bad)


def test_button_and_led(node):
    node.serial.expect("ready")
    button = node.pin("PD2")
    assert button.level is True
    with node.pin("PB5").record() as led:
        for _ in range(3):
            button.drive("low")
            node.run_for("5ms")
            button.release()
            node.run_for("5ms")
    assert node["presses"] == 3
    assert len(led.changes) == 3 and node.leds == {"L": led.changes[-1][1]}
    assert led.changes[1][0] - led.changes[0][0] == pytest.approx(0.01, abs=1e-5)


def test_analog_lines(node):
    node.analog[0] = 2.5
    node.run_for("5ms")
    assert node["sample"] == pytest.approx(512, abs=2)
    node.analog[0] = lambda seconds: 5 if seconds > 0.02 else 0
    node.run_for("5ms")
    assert node["sample"] == 0
    node.run_for("20ms")
    assert node["sample"] == 1023


def test_variables_set_before_the_run(node):
    node.set("presses", 41)
    node.run_for("10ms")
    assert node["presses"] == 41


def test_taps_see_and_change_nothing(node):
    plain = motet.node(BOARD, board="uno")
    plain.run_for("50ms")
    seen = {"probe": 0, "watch": [], "alarm": [], "hook": []}
    node.probe("converted", lambda pc: seen.__setitem__("probe", seen["probe"] + 1))
    node.watch("ticks", lambda a: seen["watch"].append((a.value, a.write)))
    node.alarm("1ms", lambda tick: seen["alarm"].append(tick), every="10ms")
    tap = node.hook(["interrupt-entry"], lambda h: seen["hook"].append(h.data["name"]))
    node.run_for("25ms")
    tap.remove()
    node.run_for("25ms")
    assert seen["probe"] > 100 and seen["alarm"] == [16000 + i * 160000 for i in range(5)]
    assert seen["hook"] == ["timer1", "timer1"] and len(seen["watch"]) >= node["ticks"]
    assert node.network.digest == plain.network.digest


def test_a_tap_removes_itself(node):
    calls = []

    def once(pc):
        calls.append(pc)
        tap.remove()

    tap = node.probe("converted", once)
    node.run_for("10ms")
    assert len(calls) == 1


def test_an_exception_in_a_callback_is_raised_by_the_run(node):
    def bad(pc):
        raise KeyError("mine")

    node.probe("converted", bad)
    with pytest.raises(KeyError, match="mine"):
        node.run_for("10ms")
    node.analog[0] = lambda seconds: 1 / 0
    for tap in list(node.network._taps):
        tap.remove()
    with pytest.raises(ZeroDivisionError):
        node.run_for("10ms")


def test_a_callback_stops_the_run_and_cannot_run_it(node):
    node.hook(["interrupt-entry"], lambda h: node.stop())
    assert node.run_for("1s") is motet.End.STOPPED
    assert 0.01 <= node.now < 0.0102

    again = motet.node(BOARD, board="uno")
    again.probe("main", lambda pc: again.run_for(1))
    with pytest.raises(motet.MotetError, match="a callback cannot run its network"):
        again.run_for(1)


def test_waiting_for_a_condition(node):
    assert node.run_until(lambda: node["ticks"] == 7, within="1s") is motet.End.CONDITION
    assert node.now == pytest.approx(0.07, abs=0.002)
    with pytest.raises(motet.Timeout):
        node.run_until(lambda: False, within="10ms")


def test_snapshots(node):
    node.serial.send("first\n")
    node.serial.expect("got first\n")
    node.analog[0] = 1.0
    snapshot, digest = node.network.snapshot(), node.network.digest
    futures = []
    for text in ("abc\n", "x\n", "abc\n"):
        node.serial.send(text)
        node.analog[0] = 2.0 + len(text)
        node.run_for("20ms")
        futures.append((node.network.digest, node.serial.text))
        snapshot.restore()
        assert node.network.digest == digest and node.serial.text == "ready\ngot first\n"
    assert futures[0] == futures[2] != futures[1]


def test_a_fault_is_raised_with_its_explanation(node):
    node.serial.send("crash\n")
    with pytest.raises(motet.FirmwareFault, match="(?s)node 0: .*main.*board.c:") as raised:
        node.run_for("1s")
    assert raised.value.fault.kind == "erased-flash" and raised.value.node == 0
    assert node.exit is motet.Exit.FAULT and node.faults == [raised.value.fault]
    with pytest.raises(motet.MotetError, match="there is no fault 'sadness'; there are illegal-opcode"):
        node.on_fault("warn", ["sadness"])


def test_the_same_again():
    def life():
        node = motet.node(BOARD, board="uno", seed=3)
        node.serial.send("hello\n")
        node.run_for("200ms")
        return node.network.digest

    assert life() == life()


@pytest.mark.parametrize(
    "wrong, sentence",
    [
        (lambda: motet.Machine("/nowhere.elf"), "/nowhere.elf: cannot be opened"),
        (lambda: motet.Machine(__file__), "the file is neither ELF nor Intel HEX"),
        (lambda: motet.Machine(BOARD, board="unno"), "did you mean `uno`?"),
        (lambda: motet.Machine(BOARD, fuses=[1]), "fuses are three numbers"),
        (lambda: motet.node(BOARD).pin("PX9"), "atmega328p has no pin 'PX9'"),
        (lambda: motet.node(BOARD).port(3), "atmega328p has no serial port 3"),
        (lambda: motet.node(BOARD).run_for("soon"), "soon"),
        (lambda: motet.node(BOARD).run_for("@5"), "counts ticks of one node"),
        (lambda: motet.node(BOARD).run_for(-1), "-1 is no time"),
        (lambda: motet.node(BOARD).run_for(float("nan")), "nan is no time"),
        (lambda: motet.node(BOARD).peek(0xFFFFFFFF, 10), "there is no memory of 10 bytes"),
        (lambda: motet.node(BOARD).store("flash"), "has no memory 'flash'"),
        (lambda: motet.node(BOARD).set("nothing", 1), "nothing"),
        (lambda: motet.node(BOARD).probe("nowhere", print), "nowhere"),
        (lambda: motet.node(BOARD).watch("ticks", print, "sometimes"), "'sometimes' is none of before"),
        (lambda: motet.node(BOARD).hook(["rain"], print), "'rain' does not happen; these do: "),
        (lambda: motet.node(BOARD).pin("PB5").drive("sideways"), "a pin is not driven 'sideways'"),
        (lambda: motet.node(BOARD).analog.__setitem__(30, 1.0), "atmega328p has no analog line 30"),
        (lambda: motet.Network().run_for(1), "the network has no nodes"),
        (lambda: motet.Network(medium={"colour": 1}), "a medium has no 'colour'"),
        (lambda: motet.SavedRun(BOARD), "is not a saved run"),
        (lambda: motet.Log("/nowhere"), "/nowhere"),
    ],
)
def test_errors_are_sentences(wrong, sentence):
    with pytest.raises(motet.MotetError) as raised:
        wrong()
    assert sentence in str(raised.value)


def test_what_is_closed_says_so(node):
    network, pin, serial = node.network, node.pin("PB5"), node.serial
    snapshot = network.snapshot()
    network.close()
    network.close()
    for use in (lambda: node.pc, lambda: pin.level, lambda: network.digest, lambda: serial.expect("x"), snapshot.restore):
        with pytest.raises(motet.ClosedError, match="the network is closed"):
            use()
    machine = motet.Machine(BOARD)
    machine.close()
    with pytest.raises(motet.ClosedError, match="the machine is closed"):
        machine.hz


def test_nothing_leaks():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def life():
        node = motet.node(BOARD, board="uno")
        node.probe("converted", lambda pc: node.pc)  # a cycle, which only the collector finds
        node.network.snapshot()
        node.run_for("2ms")
        timeline = node.network.timeline()
        timeline.step(timeline.nodes[0])

    sizes = []
    for _ in range(4):
        for _ in range(10):
            life()
        gc.collect()
        sizes.append(resident())
    assert sizes[3] - sizes[1] < 2 << 20, sizes
    assert not [o for o in gc.get_objects() if isinstance(o, motet.Network)]
