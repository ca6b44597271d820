#!/usr/bin/env python3
"""usage: read_trace.py FILE
A reader of Chrome's trace events (the JSON that ui.perfetto.dev takes in) that shares nothing with the writer: fails on
what the format does not allow or what would not be shown, and prints how many slices, instants, counters and flows there
are. What it asks for: every track and process that is used has a name; B and E are paired and nest, in the order of time;
slices of one track nest or lie apart; counters are finite numbers in the order of time; each flow has one start and one
end, the end not earlier, and both inside a slice of their tracks."""
import bisect
import json
import math
import sys

KEYS = {  # beside ph, pid and tid
    "M": {"name", "args"},
    "B": {"name", "ts"},
    "E": {"ts"},
    "X": {"name", "ts", "dur"},
    "i": {"name", "ts", "s"},
    "C": {"name", "ts", "args"},
    "s": {"name", "ts", "cat", "id"},
    "f": {"name", "ts", "cat", "id", "bp"},
}


def fail(what, event=None):
    sys.exit(f"{sys.argv[1]}: {what}" + (f": {json.dumps(event)}" if event is not None else ""))


def nanoseconds(value, event):
    """Times are microseconds with three decimals, exact as text."""
    if not isinstance(value, str) or not value.replace(".", "", 1).isdigit():
        fail("a time is not a plain number", event)
    whole, _, part = value.partition(".")
    if len(part) > 3:
        fail("a time is finer than a nanosecond", event)
    return int(whole) * 1000 + int(part.ljust(3, "0"))


class Number(str):
    """A number as it is written."""


def check_form(event):
    if not isinstance(event, dict) or event.get("ph") not in KEYS:
        fail("not an event", event)
    want = {"ph", "pid", "tid"} | KEYS[event["ph"]]
    if set(event) != want:
        fail(f"keys should be {sorted(want)}", event)
    for key in ("pid", "tid"):
        if not isinstance(event[key], Number) or not event[key].isdigit():
            fail(f"{key} should be a number", event)
    if "name" in event and (not event["name"] or isinstance(event["name"], Number)):
        fail("a name should be text", event)
    if event["ph"] == "i" and event["s"] != "t":
        fail("an instant should be of its track", event)
    if event["ph"] == "f" and event["bp"] != "e":
        fail("the end of a flow should be bound to the slice that holds it", event)


def metadata(event, processes, tracks):
    kind, args = event["name"], event["args"]
    if kind == "process_name" and set(args) == {"name"}:
        if event["pid"] in processes:
            fail("two names of a process", event)
        processes[event["pid"]] = args["name"]
    elif kind == "thread_name" and set(args) == {"name"}:
        if (event["pid"], event["tid"]) in tracks:
            fail("two names of a track", event)
        tracks[event["pid"], event["tid"]] = args["name"]
    elif kind != "thread_sort_index" or set(args) != {"sort_index"}:
        fail("unknown metadata", event)


def nest(slices, track):
    """Slices of a track lie apart or inside one another."""
    open_ends = []
    for begin, end in sorted(slices, key=lambda s: (s[0], -s[1])):
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        if open_ends and open_ends[-1] < end:
            fail(f"slices of track {track} overlap at {begin} ns")
        open_ends.append(end)


def holds(slices, when):
    """Whether a slice holds the time, its ends included; slices are sorted by their beginnings."""
    at = bisect.bisect_right(slices, (when, math.inf))
    return any(begin <= when <= end for begin, end in slices[max(0, at - 50):at])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        trace = json.load(file, parse_int=Number, parse_float=Number, parse_constant=lambda c: fail(f"{c} is no JSON"))
    if set(trace) != {"displayTimeUnit", "traceEvents"} or trace["displayTimeUnit"] not in ("ns", "ms"):
        fail("not the file's form")
    processes, tracks, used, begun, last, counters, slices, flows = {}, {}, set(), {}, {}, {}, {}, {}
    counts = dict.fromkeys("BXiC", 0)
    for event in trace["traceEvents"]:
        check_form(event)
        if event["ph"] == "M":
            metadata(event, processes, tracks)
            continue
        track, when = (event["pid"], event["tid"]), nanoseconds(event["ts"], event)
        counts[event["ph"]] = counts.get(event["ph"], 0) + 1
        if event["ph"] == "C":
            value = event["args"].get("value")
            if set(event["args"]) != {"value"} or not isinstance(value, Number) or not math.isfinite(float(value)):
                fail("a counter should have a number", event)
            if when < counters.get((event["pid"], event["name"]), 0):
                fail("a counter goes back in time", event)
            counters[event["pid"], event["name"]] = when
            continue
        used.add(track)
        if event["ph"] in "BE":
            if when < last.get(track, 0):
                fail("a track goes back in time", event)
            last[track] = when
        if event["ph"] == "B":
            begun.setdefault(track, []).append(when)
        elif event["ph"] == "E":
            if not begun.get(track):
                fail("the end of nothing", event)
            slices.setdefault(track, []).append((begun[track].pop(), when))
        elif event["ph"] == "X":
            slices.setdefault(track, []).append((when, when + nanoseconds(event["dur"], event)))
        elif event["ph"] in "sf":
            ends = flows.setdefault((event["cat"], event["id"]), {})
            if event["ph"] in ends:
                fail("a flow has two starts or two ends", event)
            ends[event["ph"]] = (track, when)
    for track, open_slices in begun.items():
        if open_slices:
            fail(f"a slice of track {track} has no end")
    for track in used:
        if track not in tracks or track[0] not in processes:
            fail(f"track {track} has no name")
    if {pid for pid, _ in counters} - set(processes):
        fail("a process of counters has no name")
    for track, list_ in slices.items():
        nest(list_, track)
        list_.sort()
    for name, ends in flows.items():
        if set(ends) != {"s", "f"}:
            fail(f"flow {name} has no start or no end")
        if ends["f"][1] < ends["s"][1]:
            fail(f"flow {name} ends before it starts")
        for track, when in ends.values():
            if not holds(slices.get(track, []), when):
                fail(f"flow {name} is in no slice of track {track} at {when} ns")
    print(f"{len(processes)} processes, {len(tracks)} tracks, {sum(map(len, slices.values()))} slices, {counts['i']} instants, "
          f"{counts['C']} values, {len(flows)} flows")


main()
