#!/usr/bin/env python3
"""usage: follow.py MOTET LOG...
motet merge --follow: logs come in piece by piece through a file that grows, a FIFO, a socket, a pseudo-terminal. The order
only grows, causes come before effects, receives have the sends that a merge of the whole logs gives them, and Ctrl-C ends
it with all lines whole."""
import json, os, pty, random, signal, socket, subprocess, sys, tempfile, threading, time, tty

motet, logs = sys.argv[1], sys.argv[2:]
work = tempfile.mkdtemp()
failed = []


def fail(text):
    failed.append(text)
    print("FAILED:", text)


def events(text):
    return [json.loads(line) for line in text.splitlines()]


def check_order(name, story):
    """Each line comes after its node's lines before it and after its cause, and its vector clock counts them all."""
    seen, clocks = {}, {}
    for e in story:
        node, number = e["node"], e["event"]
        if number != seen.get(node, 0):
            fail(f"{name}: event {number} of node {node} comes after {seen.get(node, 0)} events")
        cause = e.get("cause")
        if cause and seen.get(cause["node"], 0) <= cause["event"]:
            fail(f"{name}: event {number} of node {node} comes before its cause")
        expected = dict(clocks.get(node, {}))
        if cause:
            for k, v in clocks[cause["node"], cause["event"]].items():
                expected[k] = max(expected.get(k, 0), v)
        expected[str(node)] = number + 1
        if e["clock"] != expected:
            fail(f"{name}: vector clock of event {number} of node {node}")
        clocks[node] = expected
        if e["kind"] == "send":
            clocks[node, number] = expected
        seen[node] = number + 1


def causes(story):
    return {(e["node"], e["event"]): (e["cause"]["node"], e["cause"]["event"]) for e in story if "cause" in e}


class Place:
    """Where a log comes out, and how to put bytes in."""

    def __init__(self, kind, number):
        self.kind, self.name = kind, os.path.join(work, str(number))
        if kind == "file":
            self.fd = os.open(self.name, os.O_WRONLY | os.O_CREAT)
        elif kind == "fifo":
            os.mkfifo(self.name)
        elif kind == "tcp":
            self.server = socket.create_server(("127.0.0.1", 0))
            self.name = "tcp:127.0.0.1:%d" % self.server.getsockname()[1]
        else:
            self.fd, slave = pty.openpty()
            tty.setraw(slave)
            self.name, self.slave = os.ttyname(slave), slave

    def open(self):
        if self.kind == "fifo":
            self.fd = os.open(self.name, os.O_WRONLY)
        elif self.kind == "tcp":
            self.connection = self.server.accept()[0]
            self.fd = self.connection.fileno()

    def put(self, bytes):
        while bytes:
            bytes = bytes[os.write(self.fd, bytes):]

    def end(self):
        if self.kind == "tcp":
            self.connection.close()
        else:
            os.close(self.fd)


def follow(kinds, options=(), cut=None, seed=1):
    """Gives the logs in pieces that come in any order of the nodes; interrupted after `cut` of all, if given."""
    rnd = random.Random(seed)
    places = [Place(kind, "%d-%d" % (seed, i)) for i, kind in enumerate(kinds)]
    process = subprocess.Popen([motet, "merge", "--follow", "--json", *options, *[p.name for p in places]],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    got = []
    reader = threading.Thread(target=lambda: got.extend(process.stdout.read().splitlines()))
    reader.start()
    for p in places:
        p.open()
    contents = [open(log, "rb").read() for log in logs]
    at = [0] * len(logs)
    for step in range(1, 61):
        if cut and step > 60 * cut:
            break
        order = list(range(len(logs)))
        rnd.shuffle(order)
        for i in order:
            until = len(contents[i]) * step // 60
            places[i].put(contents[i][at[i]:until])
            at[i] = until
        time.sleep(0.01)
    if cut:
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
    else:
        for p in places:
            if p.kind in ("fifo", "tcp"):
                p.end()
        if "file" in kinds:
            time.sleep(1.0)
            process.send_signal(signal.SIGINT)
    error = process.stderr.read()
    process.wait(60)
    reader.join()
    return process.returncode, "\n".join(got) + "\n", error


whole = events(subprocess.run([motet, "merge", "--json", *logs], capture_output=True, text=True).stdout)
true = causes(whole)
kinds = ["file", "fifo", "tcp", "pty"]
status, out, error = follow([kinds[i % 4] for i in range(len(logs))], ["--patience", "100s"])
story = events(out)
check_order("mixed feeds", story)
if status or len(story) != len(whole):
    fail(f"status {status}, {len(story)} events instead of {len(whole)}: {error}")
found = causes(story)
wrong = sum(true.get(k) != v for k, v in found.items())
missing = len(true) - len(found)
if wrong or missing > len(true) // 100:
    fail(f"{wrong} receives have another send, {missing} of {len(true)} have none: {error}")

# Ctrl-C before the end: whole lines, a true order, and the summary.
status, out, error = follow(["fifo"] * len(logs), cut=0.85, seed=2)
story = events(out)
check_order("interrupted", story)
if status or not 0.1 * len(whole) < len(story) < len(whole) or "receives have their send" not in error:
    fail(f"interrupted: status {status}, {len(story)} of {len(whole)} events: {error}")

# Not a log; two feeds of one node.
for name, paths, sentence in (("no log", ["/etc/passwd"], "is no interface log"),
                              ("one node", [logs[0], logs[0]], "are both of node"),
                              ("nothing", ["/nowhere"], "cannot read /nowhere")):
    end = subprocess.run([motet, "merge", "--follow", *paths], capture_output=True, text=True, timeout=60)
    if end.returncode != 2 or sentence not in end.stderr:
        fail(f"{name}: status {end.returncode}: {end.stderr}")
sys.exit(bool(failed))
