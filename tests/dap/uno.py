"""One node: breakpoints of all kinds, steps in both directions, variables, memory, instructions, console."""
import base64
import re
import subprocess
import tempfile

from client import FIRMWARE, MOTET, SOURCE, Client, check, equal, line_of, main

COUNTER = SOURCE + "/tests/debug/counter.c"
SHAPES = SOURCE + "/tests/session/shapes.c"


def counter(before=lambda c: None, **more):
    c = Client()
    c.launch(lambda: before(c), program=FIRMWARE + "/debug-counter.elf", board="uno", **more)
    return c


def lines_and_steps():
    c = counter(lambda c: c.breaks(COUNTER, line_of(COUNTER, "add(i);")))
    s = c.stopped("breakpoint")
    equal("the thread", s["threadId"], 1)
    equal("threads", [t["name"] for t in c.ask("threads")["threads"]], ["node 0 (uno)"])
    top = c.top()
    equal("the place", (top["name"], top["line"]), ("main", 39))
    equal("the file", top["source"]["path"], COUNTER)
    c.go("stepIn", reason="step")
    equal("in the function", [f["name"] for f in c.stack()], ["add", "main"])
    equal("its argument", c.value("n"), "1")
    c.go("next", reason="step")
    equal("the next line", c.top()["line"], 27)
    c.go("stepBack", reason="step")
    equal("the line before", c.top()["line"], 26)
    c.go("stepOut", reason="step")
    equal("back in main", c.top()["name"], "main")
    equal("total", c.value("total"), "1")
    before = c.top()["instructionPointerReference"]
    c.go("stepIn", reason="step", granularity="instruction")
    after = c.top()["instructionPointerReference"]
    check("an instruction further", int(before, 16) < int(after, 16) <= int(before, 16) + 4, (before, after))
    c.go("stepBack", reason="step", granularity="instruction")
    equal("and back", c.top()["instructionPointerReference"], before)
    c.go("continue", reason="breakpoint")
    c.go("continue", reason="breakpoint")
    equal("i", c.value("i"), "3")
    c.go("reverseContinue", reason="breakpoint")
    equal("i before", c.value("i"), "2")
    c.breaks(COUNTER)
    s = c.go("reverseContinue")
    check("history begins", "history begins" in s["text"], s)
    equal("its time", c.value("when", context="repl")[:4], "0.00")
    s = c.go("continue", reason="end")
    check("the end", "stands still" in s["text"], s)
    c.go("stepBack", granularity="instruction")
    equal("total at the end", c.value("total"), "1000")
    equal("status", c.leave(), 0)
    equal("standard error", c.error, "")


def the_end():
    c = counter()
    c.stopped("end")
    c.ask("continue", threadId=1)
    c.event("exited")
    c.event("terminated")
    c.leave()
    c = counter(stopAtEnd=False)
    c.event("terminated")
    c.leave()
    c = counter(lambda c: c.functions("add"), noDebug=True)
    c.event("terminated")
    c.leave()


def conditions():
    line = line_of(COUNTER, "total += s")
    c = counter(lambda c: c.breaks(COUNTER, {"line": line, "condition": "s > 5"}))
    c.stopped("breakpoint")
    equal("s", c.value("s"), "9")
    c.breaks(COUNTER, {"line": line, "hitCondition": "2"}, {"line": 20, "logMessage": "n is {n}, i is {i}"})
    c.ask("restart")
    c.stopped("breakpoint")
    equal("s the second time", c.value("s"), "4")
    check("the log", "n is 1, i is 0\nn is 2, i is 0" in c.output("console"), c.output("console"))
    c.go("continue", reason="breakpoint")
    equal("s the third time", c.value("s"), "9")
    for hit, stops in (("== 3", ["9"]), ("% 2", ["4", "16"]), ("< 3", ["1", "4"]), ("> 4", ["25"])):
        c.breaks(COUNTER, {"line": line, "hitCondition": hit})
        c.ask("restart")
        seen = []
        while c.stopped()["reason"] == "breakpoint":
            seen.append(c.value("s"))
            c.ask("continue", threadId=1)
        equal("hits " + hit, seen, stops)
    b = c.breaks(COUNTER, {"line": line, "hitCondition": "often"}, {"line": 4000}, {"line": line,
        "condition": "nothing"})
    equal("verified", [x["verified"] for x in b], [False, False, True])
    check("why not", "no hit condition" in b[0]["message"] and "no code" in b[1]["message"], b)
    c.ask("restart")
    c.stopped("breakpoint")
    check("a condition that means nothing is reported", "cannot be evaluated" in c.output("console"))
    c.leave()


def functions_and_instructions():
    c = counter(lambda c: check("functions", [b["verified"] for b in c.functions("square", "nobody")] == [True, False]))
    c.stopped("function breakpoint")
    equal("where", c.top()["name"], "square")
    at = c.top()["instructionPointerReference"]
    code = c.ask("disassemble", memoryReference=at, instructionOffset=-3, instructionCount=8, resolveSymbols=True)
    code = code["instructions"]
    equal("how many", len(code), 8)
    equal("the one it is at", code[3]["address"], at)
    check("before it", all(int(a["address"], 16) < int(b["address"], 16) for a, b in zip(code, code[1:])), code)
    check("its line", code[3]["line"] == 18 or code[3]["line"] == 19, code[3])
    b = c.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": code[6]["address"]}])["breakpoints"]
    check("verified", b[0]["verified"], b)
    c.go("continue", reason="instruction breakpoint")
    equal("there", c.top()["instructionPointerReference"], code[6]["address"])
    first = c.ask("disassemble", memoryReference="0x0", instructionOffset=-2, instructionCount=3)["instructions"]
    equal("before memory begins", [i.get("presentationHint") for i in first], ["invalid", "invalid", None])
    equal("the vector", first[2]["instruction"].split()[0], "jmp")
    c.leave()


def data():
    c = counter(stopOnEntry=True)
    c.stopped("entry")
    info = c.ask("dataBreakpointInfo", name="total")
    check("what can be done", info["accessTypes"] == ["read", "write", "readWrite"], info)
    b = c.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"]
    check("verified", b[0]["verified"], b)
    c.go("continue", reason="data breakpoint")
    equal("written", c.value("total"), "1")
    c.go("continue", reason="data breakpoint")
    equal("written again", c.value("total"), "5")
    c.go("reverseContinue", reason="data breakpoint")
    equal("before the second", c.value("total"), "1")
    c.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write",
        "condition": "total > 20"}])
    c.go("continue", reason="data breakpoint")
    equal("conditional", c.value("total"), "30")
    info = c.ask("dataBreakpointInfo", name="main")
    equal("a function has no data", info["dataId"], None)
    info = c.ask("dataBreakpointInfo", name="nothing")
    check("no such variable", info["dataId"] is None and "nothing" in info["description"], info)
    c.leave()


def variables():
    c = Client()
    c.launch(lambda: c.functions("weigh"), program=FIRMWARE + "/session-shapes-atmega328p.elf")
    c.stopped("function breakpoint")
    c.go("continue", reason="function breakpoint")
    frame = c.top()["id"]
    scopes = c.scopes(frame)
    equal("scopes", list(scopes)[:4], ["Locals", "Globals", "Registers", "Device registers"])
    local = c.variables(scopes["Locals"])
    check("locals", "e" in local and "factor" in local and "local" in local, local)
    equal("a pointer's type", local["e"]["type"], "struct entry *")
    entry = c.variables(local["e"]["variablesReference"])
    equal("through the pointer", {n: entry[n]["value"] for n in ("id", "weight", "colour", "level")},
          {"id": "11", "weight": "-5", "colour": "GREEN", "level": "4"})
    equal("its name", entry["weight"]["evaluateName"], "e->weight")
    further = c.variables(entry["next"]["variablesReference"])
    equal("further on", (further["colour"]["value"], c.value(further["colour"]["evaluateName"], frame)), ("RED", "RED"))
    table = c.variables(scopes["Globals"])["table"]
    equal("elements", table["indexedVariables"], 3)
    check("a text", c.value("name", frame).endswith(' "motet"'), c.value("name", frame))
    some = c.variables(table["variablesReference"], filter="indexed", start=1, count=1)
    equal("one of them", list(some), ["[1]"])
    equal("no names", c.variables(table["variablesReference"], filter="named"), {})
    field = c.variables(some["[1]"]["variablesReference"])
    equal("a path", field["level"]["evaluateName"], "table[1].level")

    # Setting: numbers, bit-fields, enumerators, registers, expressions; and in hexadecimal.
    reference = some["[1]"]["variablesReference"]
    equal("a number", c.ask("setVariable", variablesReference=reference, name="weight", value="2 + 3")["value"], "5")
    equal("a bit-field", c.ask("setVariable", variablesReference=reference, name="level", value="7")["value"], "7")
    equal("its neighbours", c.value("table[1].flag"), "0")
    equal("a word", c.ask("setVariable", variablesReference=reference, name="colour", value="BLUE")["value"], "BLUE")
    equal("by expression", c.ask("setExpression", expression="table[0].id", value="0x41", frameId=frame)["value"], "65")
    equal("seen through the pointer", c.value("*e", frame)[:22], "{id = 11, weight = 5, ")
    registers = c.variables(scopes["Registers"], format={"hex": True})
    check("registers", "r0" in registers and "SP" in registers, list(registers))
    equal("a register", c.ask("setVariable", variablesReference=scopes["Registers"], name="r5", value="17")["value"],
          "0x11 (17)")
    equal("it is", c.value("$r5"), "0x11 (17)")
    check("not a number", "understood" in c.refused("setVariable", variablesReference=reference, name="id",
        value="1 x"))
    check("no such", "no 'nobody'" in c.refused("setVariable", variablesReference=reference, name="nobody", value="1"))

    # Memory behind them.
    place = c.variables(scopes["Globals"])["sum"]["memoryReference"]
    m = c.ask("readMemory", memoryReference=place, count=2)
    old = base64.b64decode(m["data"])
    equal("two bytes", len(old), 2)
    c.ask("writeMemory", memoryReference=place, data=base64.b64encode(b"\x34\x12").decode())
    equal("the variable", c.value("sum", frame), "4660")
    equal("in hexadecimal", c.ask("evaluate", expression="sum", context="watch", format={"hex": True})["result"],
        "0x1234")
    m = c.ask("readMemory", memoryReference="0x8008f8", count=16)
    equal("beyond memory", (len(base64.b64decode(m["data"])), m["unreadableBytes"]), (8, 8))
    c.go("stepBack", reason="step", granularity="instruction")
    equal("going back undoes it", c.value("table[1].level"), "4")
    check("old references", "any more" in c.refused("variables", variablesReference=reference))
    c.leave()


def console():
    c = counter(lambda c: c.functions("square"))
    c.stopped("function breakpoint")
    check("when", "tick @" in c.value("when", context="repl"))
    check("the command before the function", "square" in c.value("print square", context="repl"))
    check("help", "last-write EXPRESSION" in c.value("help", context="repl"))
    check("info", "n = 1" in c.value("info args", context="repl"))
    check("x", "0x800" in c.value("x/2xb &total", context="repl"))
    equal("an assignment", c.value("total = limit * 2", context="repl"), "10")
    equal("it is set", c.value("total"), "10")
    equal("a comparison is none", c.value("total == 10", context="repl"), "1")
    check("not to a number", "only a number in data memory" in c.refused("evaluate", expression="5 = 6", context="repl"))
    check("breakpoints are the editor's", "no command" in c.refused("evaluate", expression="monitor break main",
        context="repl"))
    c.value("seek 3ms", context="repl")
    c.stopped("goto")
    check("there", c.value("when", context="repl").startswith("0.003"))
    check("last-write", "was written at" in c.value("last-write total", context="repl"))
    check("not in a watch", "there is no" in c.refused("evaluate", expression="when", context="watch"))
    t = [t["label"] for t in c.ask("completions", text="to", column=3)["targets"]]
    check("completions", "total" in t, t)
    t = [t["label"] for t in c.ask("completions", text="last", column=5)["targets"]]
    check("commands", "last-write" in t, t)
    sources = c.ask("loadedSources")["sources"]
    check("sources", COUNTER in [s["path"] for s in sources], sources)
    check("a file", "TIMER0_COMPA_vect" in c.ask("source", source={"path": COUNTER}, sourceReference=0)["content"])
    check("no other file", "is no file" in c.refused("source", source={"path": "/etc/passwd"}, sourceReference=0))
    where = c.ask("breakpointLocations", source={"path": COUNTER}, line=16, endLine=28)["breakpoints"]
    check("where breakpoints can be", {"line": 27} in where and {"line": 17} not in where, where)
    c.leave()


def restart_and_goto():
    c = counter(lambda c: c.breaks(COUNTER, {"line": 27, "condition": "s == 9"}))
    c.stopped("breakpoint")
    frames = c.stack()
    c.breaks(COUNTER)
    c.ask("restartFrame", frameId=frames[0]["id"])
    c.stopped("restart")
    equal("at its beginning", (c.top()["name"], c.top()["line"], c.value("n")), ("add", 26, "3"))
    targets = c.ask("gotoTargets", source={"path": COUNTER}, line=20)["targets"]
    equal("two targets", len(targets), 2)
    c.ask("goto", threadId=1, targetId=targets[0]["id"])
    c.stopped("goto")
    equal("back", (c.top()["line"], c.value("n")), (20, "2"))
    c.ask("goto", threadId=1, targetId=targets[1]["id"])
    c.stopped("goto")
    equal("on", (c.top()["line"], c.value("n")), (20, "3"))
    targets = c.ask("gotoTargets", source={"path": COUNTER}, line=33)["targets"]
    check("never again", "is not executed after" in c.refused("goto", threadId=1, targetId=targets[1]["id"]))
    equal("it stayed", (c.top()["line"], c.value("n")), (20, "3"))
    c.leave()


def pause():
    c = Client()
    c.launch(program=FIRMWARE + "/blink-uno.elf")
    c.ask("threads")
    c.breaks(SOURCE + "/firmware/blink/blink.c")  # while it runs
    check("not while it runs", "pause them" in c.refused("stackTrace", threadId=1))
    c.ask("pause", threadId=1)
    c.stopped("pause")
    check("frames", c.stack())
    c.ask("continue", threadId=1)
    c.ask("terminate")
    c.event("terminated")
    equal("status", c.leave(), 0)


def nothing_changes():
    """All kinds of looking leave the digest of a run without a debugger."""
    program, end = FIRMWARE + "/blink-uno.elf", "1s"
    plain = subprocess.run([MOTET, "run", program, "--for", end, "--quiet", "--digest"], stderr=subprocess.PIPE,
                           stdout=subprocess.PIPE).stderr.decode()
    c = Client()
    c.launch(lambda: c.functions({"name": "toggle", "hitCondition": "% 2"}), program=program, **{"for": end})
    while c.stopped()["reason"] != "end":
        frame = c.top()["id"]
        for reference in c.scopes(frame).values():
            for v in c.variables(reference).values():
                if v["variablesReference"]:
                    c.variables(v["variablesReference"])
        c.ask("readMemory", memoryReference="0x800020", count=512)
        c.go("next")
        c.go("stepBack")
        c.ask("disassemble", memoryReference="0x0", instructionCount=50)
        c.ask("continue", threadId=1)
    seen = c.value("history", context="repl")
    digest = re.search(r"[0-9a-f]{32}", plain).group()
    check("the digest should be " + digest, digest in seen, seen)
    c.leave()


def long_search():
    """A search that takes too long says how far it is, and can be cancelled; the run is where it was."""
    c = Client()
    c.launch(program=FIRMWARE + "/blink-uno.elf", stopOnEntry=True)
    c.stopped("entry")
    number = c.post("evaluate", expression="seek 1000000s", context="repl")
    c.event("progressStart")
    c.ask("cancel", progressId="move")
    c.answer(number)
    c.stopped("goto")
    c.event("progressEnd")
    info = c.ask("dataBreakpointInfo", name="$pc")
    equal("it lives, and a register is no data", info["dataId"], None)
    equal("status", c.leave(), 0)


def same_name():
    """A file that has only its name in common with one of the firmware is another file."""
    with tempfile.TemporaryDirectory() as folder:
        other = folder + "/counter.c"
        with open(other, "w") as f:
            f.write("\n" * 50)
        c = counter(lambda c: check("not verified", not c.breaks(other, 27)[0]["verified"]))
        c.stopped("end")
        check("one that is not here may be it", c.breaks("/elsewhere/counter.c", 27)[0]["verified"])
        c.leave()


main([lines_and_steps, the_end, conditions, functions_and_instructions, data, variables, console, restart_and_goto,
      pause, nothing_changes, long_search, same_name])
