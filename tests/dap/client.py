"""A client of the Debug Adapter Protocol for tests: it keeps every message, and waits for those that are asked for.

usage: client.Client(["motet", "dap"]), or client.Client(port=4711)
"""
import json
import os
import socket
import subprocess
import sys
import threading

PATIENCE = float(os.environ.get("PATIENCE", "120"))
MOTET = os.environ.get("MOTET", "motet")
FIRMWARE = os.environ.get("FIRMWARE", ".")
SOURCE = os.environ.get("SOURCE", ".")

# What Visual Studio Code 1.90 sends.
VSCODE = {
    "clientID": "vscode", "clientName": "Visual Studio Code", "adapterID": "motet", "pathFormat": "path",
    "linesStartAt1": True, "columnsStartAt1": True, "supportsVariableType": True, "supportsVariablePaging": True,
    "supportsRunInTerminalRequest": True, "locale": "en", "supportsProgressReporting": True,
    "supportsInvalidatedEvent": True, "supportsMemoryReferences": True, "supportsArgsCanBeInterpretedByShell": True,
    "supportsMemoryEvent": True, "supportsStartDebuggingRequest": True, "supportsANSIStyling": True,
}


class Failure(Exception):
    pass


class Client:
    def __init__(self, command=None, port=None):
        self.process = self.socket = None
        if port:
            self.socket = socket.create_connection(("127.0.0.1", port))
            self.input = self.socket.makefile("rb")
            self.send_bytes = self.socket.sendall
        else:
            self.process = subprocess.Popen(command or [MOTET, "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE)
            self.input = self.process.stdout
            self.send_bytes = self.write
        self.sequence = 0
        self.messages = []
        self.taken = set()
        self.closed = False
        self.change = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self):
        try:
            while True:
                length = None
                while True:
                    line = self.input.readline()
                    if not line:
                        return
                    if line == b"\r\n":
                        break
                    name, value = line.decode().split(":")
                    if name.lower() == "content-length":
                        length = int(value)
                message = json.loads(self.input.read(length))
                with self.change:
                    self.messages.append(message)
                    self.change.notify_all()
        except (OSError, ValueError):
            pass
        finally:
            with self.change:
                self.closed = True
                self.change.notify_all()

    def wait(self, fits, what):
        """The first message not taken yet that fits."""
        with self.change:
            def find():
                for i, m in enumerate(self.messages):
                    if i not in self.taken and fits(m):
                        self.taken.add(i)
                        return m
                return None
            found = []
            def ready():
                m = find()
                if m is not None:
                    found.append(m)
                return bool(found) or self.closed
            if not self.change.wait_for(ready, PATIENCE) or not found:
                raise Failure("no %s; the last messages were\n%s" % (
                    what, "\n".join(json.dumps(m) for m in self.messages[-6:])))
            return found[0]

    def post(self, command, **arguments):
        self.sequence += 1
        body = json.dumps({"seq": self.sequence, "type": "request", "command": command,
            "arguments": arguments}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return self.sequence

    def answer(self, number):
        return self.wait(lambda m: m["type"] == "response" and m["request_seq"] == number, "answer to %d" % number)

    def ask(self, command, **arguments):
        m = self.answer(self.post(command, **arguments))
        if not m["success"]:
            raise Failure("%s was refused: %s" % (command, m.get("message")))
        return m.get("body", {})

    def refused(self, command, **arguments):
        m = self.answer(self.post(command, **arguments))
        if m["success"]:
            raise Failure("%s should have been refused" % command)
        return m["message"]

    def event(self, name):
        return self.wait(lambda m: m["type"] == "event" and m["event"] == name, "event " + name).get("body", {})

    def stopped(self, reason=None):
        body = self.event("stopped")
        if reason and body["reason"] != reason:
            raise Failure("stopped by %s, not by %s: %s" % (body["reason"], reason, body))
        return body

    def output(self, category=None):
        """All output so far."""
        with self.change:
            return "".join(m["body"]["output"] for m in self.messages
                           if m["type"] == "event" and m["event"] == "output" and
                           (not category or m["body"]["category"] == category))

    # ---- what editors do ----

    def launch(self, before=lambda: None, request="launch", **attributes):
        """As Visual Studio Code does it; `before` sets breakpoints."""
        self.capabilities = self.ask("initialize", **VSCODE)
        number = self.post(request, name="test", type="motet", request=request, __sessionId="1", **attributes)
        self.event("initialized")
        before()
        self.ask("setExceptionBreakpoints", filters=["fault"])
        self.ask("configurationDone")
        m = self.answer(number)
        if not m["success"]:
            raise Failure(m["message"])

    def breaks(self, path, *lines):
        return self.ask("setBreakpoints", source={"path": path, "name": os.path.basename(path)},
                        breakpoints=[l if isinstance(l, dict) else {"line": l} for l in lines],
                        lines=[], sourceModified=False)["breakpoints"]

    def functions(self, *names):
        return self.ask("setFunctionBreakpoints",
                        breakpoints=[n if isinstance(n, dict) else {"name": n} for n in names])["breakpoints"]

    def go(self, command, thread=1, reason=None, **arguments):
        self.ask(command, threadId=thread, **arguments)
        return self.stopped(reason)

    def stack(self, thread=1):
        return self.ask("stackTrace", threadId=thread, startFrame=0, levels=20)["stackFrames"]

    def top(self, thread=1):
        return self.stack(thread)[0]

    def scopes(self, frame):
        return {s["name"]: s["variablesReference"] for s in self.ask("scopes", frameId=frame)["scopes"]}

    def variables(self, reference, **arguments):
        return {v["name"]: v for v in self.ask("variables", variablesReference=reference, **arguments)["variables"]}

    def value(self, expression, frame=None, context="watch"):
        more = {"frameId": frame} if frame else {}
        return self.ask("evaluate", expression=expression, context=context, **more)["result"]

    def leave(self):
        """In order; returns the exit status."""
        self.ask("disconnect", restart=False, terminateDebuggee=True)
        return self.end()

    def end(self):
        if not self.process:
            self.socket.close()
            return 0
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.error = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return status


def check(what, is_so, seen=None):
    if not is_so:
        raise Failure("%s%s" % (what, "" if seen is None else ": " + repr(seen)))


def equal(what, is_it, should):
    check(what + " should be %r" % (should,), is_it == should, is_it)


def line_of(path, text):
    with open(path) as f:
        for number, line in enumerate(f, 1):
            if text in line:
                return number
    raise Failure("%s has no %s" % (path, text))


def main(tests):
    """Runs functions; a failure says how to run it again."""
    failed = 0
    for test in tests:
        if len(sys.argv) > 1 and test.__name__ not in sys.argv[1:]:
            continue
        try:
            test()
        except (Failure, OSError, KeyError, IndexError, subprocess.TimeoutExpired) as e:
            failed += 1
            print("FAILED: %s: %s: %s" % (test.__name__, type(e).__name__, e))
            print("  again: MOTET=%s FIRMWARE=%s SOURCE=%s python3 %s %s" % (MOTET, FIRMWARE, SOURCE, sys.argv[0],
                                                                         test.__name__))
    sys.exit(1 if failed else 0)
