"""The page of figures about slices, of what bench/slice-figures has measured: a file NAME.part for each case."""
import pathlib
import sys

scratch, seconds = pathlib.Path(sys.argv[1]), sys.argv[2]
CASES = ("blink", "co2", "collection")
TITLES = {"blink": "blink (TC1)", "co2": "CO2 readings (TC2)", "collection": "collection (TC3)"}
PAPER = {  # Tables 1 and 2: functions in the slice and in all; bytes: original, everything, sliced, inlined
    "blink": ("46 of 299", 2650, 18760, 13760, 13296),
    "co2": ("605 of 1499", 24302, 80058, 50534, 42878),
    "collection": ("604 of 1385", 18670, 73214, 45090, 37778),
}
OVERHEAD = {"blink": ("56 B", "1 %", "2 %"), "co2": ("1496 B", "-", "20 %"), "collection": ("838 B", "13 to 102 %", "16 to 37 %")}
BOARDS = ("telosb", "micaz", "uno")


def read(name):
    path = scratch / (name + ".part")
    rows = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        words = line.split()
        rows[words[0] + (words[1] if words[0] == "level" else "")] = words[2 if words[0] == "level" else 1:]
    return rows


def growth(added, original):
    return f"+{int(added)} | {100 * int(added) / int(original):.0f} %" if added != "-" else "does not fit |"


def bench(name, unit, value, goal=0):
    print(f"BENCH {name}|{unit}|{value}|{goal}")


measured = {(c, b): read(f"{c}-{b}") for c in CASES for b in BOARDS}
measured = {key: rows for key, rows in measured.items() if "level3" in rows}

print(f"""# Slices, levels and native replay: figures

Written by `make bench ONLY=slice`; do not edit. The cases are those of *dependence-based multi-level tracing*, in the kit
(`scripts/levels-cases`). The paper's figures are of TinyOS on TelosB, whose programs have more functions. Bytes are of flash
memory. `SLICE_PARTS=blink-telosb make bench ONLY=slice` measures one case anew; the page is made of the last measurement of each.

## Functions (Table 1, Figure 4)

Functions in the backward slice, without a boundary, and on each level. *Called in* is the share of the slice's functions, without
interrupt handlers, that are called in one place, in two, in more. *Inlined* is the share of traced functions whose entry and
return are not noted. Paper: over 70 % are called once, and inlined.

| case | board | in the slice | paper | per level | called in 1 | 2 | more | inlined, whole slice |
|---|---|---:|---:|---|---:|---:|---:|---:|""")
for (case, board), rows in measured.items():
    inside, everything, levels = rows["slice"]
    one, two, more = rows["calls"]
    _, traced, inlined = rows["inlined"]
    print(f"| {TITLES[case]} | {board} | {inside} of {everything} | {PAPER[case][0]} | {levels} | {one} % | {two} % | {more} % "
          f"| {100 * int(inlined) / max(1, int(traced)):.0f} % |")

print("""
## Bytes added (Table 2)

What each adds to the original. *Everything*: all functions are traced. *Sliced*: those in the slice. *Inlined*: the same, with
inlining. *Level N*: what `motet cc --trace-level N` builds, on boards with 4 KB of RAM with the radio as a boundary (`--stop-at`);
the whole tracer is in each. *Full recording*: `motet cc --record`, whose size on MICAz is told also where it does not fit the RAM.

| case | board | original | everything | | sliced | | inlined | | level 1 | | level 2 | | level 3 | | full recording | |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|""")
for case in CASES:
    for board in BOARDS:
        rows = measured.get((case, board))
        if not rows:
            continue
        original = rows["original"][0]
        cells = [growth(rows[what][0], original) for what in ("everything", "sliced", "inlined", "level1", "level2", "level3")]
        recording = growth(rows["recording"][0], original) if rows["recording"][0] != "-" else "no flash for it |"
        print(f"| {TITLES[case]} | {board} | {original} | {' | '.join(cells)} | {recording} |")
    name, original, *sizes = PAPER[case]
    cells = [growth(s - original, original) for s in sizes]
    print(f"| *paper* | *telosb* | {original} | {' | '.join(cells)} | | | | | | | | |")

print("""
Level 3 against the paper's smallest, and against full recording:

| case | board | level 3 | paper, inlined | | full recording | |
|---|---|---:|---:|---|---:|---|""")
for (case, board), rows in measured.items():
    added, theirs, recorded = int(rows["level3"][0]), PAPER[case][4] - PAPER[case][1], rows["recording"][0]
    good = "ok" if added < theirs else "**FAIL**"
    other = "" if recorded == "-" else "ok" if added < int(recorded) else "**FAIL**"
    print(f"| {TITLES[case]} | {board} | +{added} | +{theirs} | {good} | {'-' if recorded == '-' else '+' + recorded} | {other} |")
    bench(f"{case} on {board}: bytes added at level 3", "bytes", added, min(theirs, int(recorded)) if recorded != "-" else theirs)

print(f"""
## Log, time and energy (Table 3, Figures 5 and 6)

While no invariant is violated, over {seconds} s: what is noted in the ring, the share of the time in which the CPU is active, without
and with tracing, and how much more energy the board takes. The paper's log is of one period of each program; its time is that of
the period's code, its energy the mote's. The CPU of these programs sleeps most of the time, so a small share grows much.

| case | board | level | functions traced | RAM | noted, bytes a second | CPU active | traced | energy | paper: log, time, energy |
|---|---|---:|---:|---:|---:|---:|---:|---:|---|""")
for (case, board), rows in measured.items():
    for level in "123":
        flash, ram, functions, inlined, before, time, energy, rate = rows["level" + level]
        print(f"| {TITLES[case]} | {board} | {level} | {functions} | +{ram} | {rate} | {before} % | {time} % | {float(energy):+.1f} % | {', '.join(OVERHEAD[case])} |")

print("""
## Native replay

A full recording of blink with its delaying task, replayed by `motet replay` on the simulated chip, and by the native program, which
compares all variables at each call of `motet_idle`. Seconds of processor time. Goal: 10 times.

| board | recorded | simulated | native | times | goal |
|---|---:|---:|---:|---:|---|""")
for path in sorted(scratch.glob("native-*.part")):
    _, length, application, simulated, native, times = path.read_text().split()
    board = path.stem.rsplit("-", 1)[1]
    print(f"| {board} | {length} s | {simulated} s | {native} s | {times} | {'ok' if float(times) >= 10 else '**FAIL**'} (10) |")
    bench(f"native replay against simulated, {application} on {board}", "times", times)
