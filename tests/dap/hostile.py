"""What no editor should send: every message is answered, or ends the connection with a sentence, and nothing stays."""
import json
import socket
import subprocess

from client import FIRMWARE, MOTET, PATIENCE, VSCODE, Client, check, equal, main

COUNTER = FIRMWARE + "/debug-counter.elf"


def message(number, command, **arguments):
    body = json.dumps({"seq": number, "type": "request", "command": command, "arguments": arguments}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def say(data):
    """All at once, then the end; what came back."""
    p = subprocess.run([MOTET, "dap"], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
    check("it should not crash", p.returncode in (0, 2), p)
    if p.returncode:
        check("one sentence", p.stderr.startswith(b"motet: ") and p.stderr.count(b"\n") == 1, p.stderr)
    return p


def cut():
    """A conversation that breaks off at any byte."""
    whole = message(1, "initialize", adapterID="motet") + message(2, "launch", program=COUNTER, stopOnEntry=True) + \
        message(3, "configurationDone") + message(4, "stackTrace", threadId=1) + message(5, "disconnect")
    equal("the whole", say(whole).returncode, 0)
    for length in list(range(0, 60)) + list(range(60, len(whole), 5)):
        p = say(whole[:length])
        equal("cut after %d" % length, p.returncode, 2)
        check("in words", b"middle of a message" in p.stderr or b"without a disconnect" in p.stderr, p.stderr)


def lengths():
    good = message(1, "initialize", adapterID="motet")
    for header, why in ((b"Content-Length: 1\r\n\r\n{}" + good, b""), (b"Content-Length: 99999999999999\r\n\r\n",
        b"no number"),
                        (b"Content-Length: -5\r\n\r\n", b"no number"), (b"Content-Length: five\r\n\r\n", b"no number"),
                        (b"\r\n\r\n" + good, b"no colon"), (b"{}" * 5000, b"does not end"),
                        (b"\0" * 10000, b"does not end"), (b"GET / HTTP/1.1\r\n\r\n", b"no colon"),
                        (b"Content-Length: 4194304\r\n\r\n" + b"[" * 4194304, b"without a disconnect")):
        p = say(header)
        equal("status", p.returncode, 2)
        check("in words", why in p.stderr, p.stderr)


def not_json():
    """Messages that mean nothing, between some that do."""
    c = Client()
    c.ask("initialize", **VSCODE)
    for body in (b"", b"{", b"nul", b"[" * 100000, b'"text"', b"[]", b"{}", b'{"type": "request"}', b"\xff\xfe", b"\0",
                 b'{"type": "request", "command": 5, "seq": 1}', b'{"type": "request", "command": "threads"}',
                 b'{"type": "request", "command": "threads", "seq": "1"}',
                 b'{"type": "request", "command": "threads", "seq": 1, "arguments": []}',
                 b'{"type": "response", "command": "threads", "seq": 1, "request_seq": 1, "success": true}'):
        c.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        check("an answer after it", "launch or attach first" in c.refused("threads"))
    check("in words", "not JSON" in c.output("stderr"))
    check("no such request", "launch or attach first" in c.refused("nonsense"))
    check("once", "already" in c.refused("initialize"))
    equal("status", c.leave(), 0)


LAUNCHES = [
    ({}, "what is to be debugged"),
    ({"program": 5}, "must be a string"),
    ({"program": "x" * 100000}, ""),
    ({"program": "/nowhere.elf"}, "cannot be opened"),
    ({"program": "/dev/null"}, "/dev/null"),
    ({"program": "/nowhere.motet"}, "/nowhere.motet"),
    ({"program": "/nowhere.lua"}, "/nowhere.lua"),
    ({"program": COUNTER, "board": "none"}, "board"),
    ({"program": COUNTER, "nodse": 3}, "--nodes"),
    ({"program": COUNTER, "nodes": -1}, "--nodes"),
    ({"program": COUNTER, "nodes": [[1]]}, "nodes"),
    ({"program": COUNTER, "set": {"limit": []}}, "limit"),
    ({"program": COUNTER, "Board": "x"}, "Board"),
    ({"program": COUNTER, "args": "--nodes"}, "list"),
    ({"program": COUNTER, "args": [1]}, "strings"),
    ({"program": COUNTER, "args": ["--help"]}, "nothing to debug"),
    ({"program": COUNTER, "cwd": "/nowhere"}, "/nowhere"),
    ({"program": COUNTER, "log": 5}, "log"),
    ({"program": COUNTER, "log": "/nowhere"}, "/nowhere"),
    ({"program": COUNTER, "stopOnEntry": "yes"}, "stopOnEntry"),
]


def launches():
    """What cannot be launched; the same client can try again."""
    c = Client()
    c.ask("initialize", **VSCODE)
    for attributes, why in LAUNCHES:
        said = c.refused("launch", **attributes)
        check("%.100s in words" % attributes, why in said, said[:300])
    c.post("launch", program=COUNTER, set={"limit": 2}, stopOnEntry=True)
    c.event("initialized")
    check("configuration first", "configurationDone first" in c.refused("stackTrace", threadId=1))
    c.ask("configurationDone")
    c.stopped("entry")
    check("once", "already" in c.refused("configurationDone"))
    check("once", "already" in c.refused("launch", program=COUNTER))
    check("unknown", "no request 'nonsense'" in c.refused("nonsense"))
    c.go("continue", reason="end")
    equal("a variable that was set", c.value("limit"), "2")
    equal("status", c.leave(), 0)


ARGUMENTS = {
    "setBreakpoints": {"source": {"path": "counter.c"}, "breakpoints": [{"line": 27}]},
    "setFunctionBreakpoints": {"breakpoints": [{"name": "add"}]},
    "setInstructionBreakpoints": {"breakpoints": [{"instructionReference": "0x100", "offset": 2}]},
    "setDataBreakpoints": {"breakpoints": [{"dataId": "0/0x800100/1", "accessType": "write"}]},
    "dataBreakpointInfo": {"name": "total", "variablesReference": 0, "frameId": 1, "bytes": 2, "asAddress": False},
    "setExceptionBreakpoints": {"filters": ["fault"]},
    "breakpointLocations": {"source": {"path": "counter.c"}, "line": 1, "endLine": 40},
    "stackTrace": {"threadId": 1, "startFrame": 0, "levels": 3}, "scopes": {"frameId": 1},
    "variables": {"variablesReference": 1, "start": 0, "count": 2, "filter": "named", "format": {"hex": True}},
    "setVariable": {"variablesReference": 1, "name": "total", "value": "1"},
    "setExpression": {"expression": "total", "value": "1", "frameId": 1},
    "evaluate": {"expression": "total", "context": "repl", "frameId": 1, "format": {"hex": False}},
    "completions": {"text": "tot", "column": 4, "frameId": 1}, "source": {"source": {"path": "counter.c"}},
    "stepIn": {"threadId": 1, "granularity": "instruction"}, "stepOut": {"threadId": 1}, "next": {"threadId": 1},
    "stepBack": {"threadId": 1}, "reverseContinue": {"threadId": 1}, "pause": {"threadId": 1},
    "restartFrame": {"frameId": 1}, "gotoTargets": {"source": {"path": "counter.c"}, "line": 27},
    "goto": {"threadId": 1, "targetId": 1}, "exceptionInfo": {"threadId": 1},
    "readMemory": {"memoryReference": "0x800100", "offset": 0, "count": 4},
    "writeMemory": {"memoryReference": "0x800100", "offset": 0, "data": "AA=="},
    "disassemble": {"memoryReference": "0x100", "offset": 0, "instructionOffset": -5, "instructionCount": 10},
}
WRONG = [None, True, -1, 0, 2, 1e300, 0.5, 2 ** 31, 2 ** 63 - 1, "", "x", "0x", "((((", "%s%n", "y" * 5000, [], {}, [1],
         [{}], {"path": 5}, {"hex": 1}, [None]]


def wrong_types():
    """Each argument of each request becomes each wrong thing, and none at all."""
    c = Client()
    c.launch(program=COUNTER, stopOnEntry=True)
    c.stopped("entry")
    asked = []
    for command, arguments in ARGUMENTS.items():
        asked.append(c.post(command))
        for name in arguments:
            for wrong in WRONG:
                asked.append(c.post(command, **{**arguments, name: wrong}))
    for number in asked:
        c.answer(number)
    c.ask("setBreakpoints", source={"path": "counter.c"}, breakpoints=[])
    c.ask("setFunctionBreakpoints", breakpoints=[])
    c.ask("setInstructionBreakpoints", breakpoints=[])
    c.ask("setDataBreakpoints", breakpoints=[])
    c.ask("pause", threadId=1)
    equal("it lives", c.value("1 + 1"), "2")
    equal("status", c.leave(), 0)


def broken_off():
    """A client that goes while nodes run: nothing is left running."""
    for end in ("close", "part"):
        c = Client()
        c.launch(program=FIRMWARE + "/blink-uno.elf")
        c.ask("threads")
        if end == "part":
            c.send_bytes(b"Content-Length: 100\r\n\r\n{")
        equal("status", c.end(), 2)
    p = subprocess.Popen([MOTET, "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdout.close()  # nobody reads
    p.stdin.write(message(1, "initialize") + message(2, "launch", program=FIRMWARE + "/blink-uno.elf") +
                  message(3, "configurationDone"))
    p.stdin.flush()
    equal("status", p.wait(PATIENCE), 2)
    p.stdin.close()
    p.stderr.close()
    p = subprocess.Popen([MOTET, "dap", "--port", "0"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    port = int(p.stderr.readline().split()[-1])
    c = Client(port=port)
    c.launch(program=FIRMWARE + "/blink-uno.elf")
    c.socket.shutdown(socket.SHUT_RDWR)
    equal("status", p.wait(PATIENCE), 2)
    check("in words", b"without a disconnect" in p.stderr.read())
    p.stderr.close()


main([cut, lengths, not_json, launches, wrong_types, broken_off])
