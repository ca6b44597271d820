"""Launch sources: firmware of three boards, a mixed network, a saved run, a counterexample, a log; faults; attaching."""
import os
import re
import shutil
import socket
import subprocess
import tempfile

from client import FIRMWARE, MOTET, SOURCE, Client, check, equal, line_of, main

BLINK = SOURCE + "/firmware/apps/blink.c"
work = tempfile.TemporaryDirectory()


def motet(*words):
    return subprocess.run([MOTET, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)


def boards():
    """The same source on three boards and two instruction sets."""
    line = line_of(BLINK, "leds_toggle")
    for board, registers, pointer in (("micaz", "r24", "SP"), ("telosb", "r12", "sp"), ("uno", "r24", "SP")):
        c = Client()
        c.launch(lambda: c.breaks(BLINK, line), program="%s/blink-%s.elf" % (FIRMWARE, board), board=board)
        c.stopped("breakpoint")
        equal("the board", c.ask("threads")["threads"], [{"id": 1, "name": "node 0 (%s)" % board}])
        equal("where", (c.top()["name"], c.top()["line"]), ("toggle", line))
        scopes = c.scopes(c.top()["id"])
        statics = c.variables(scopes["Statics"])
        check("the statics of the file", "timers" in statics, list(statics))
        timer = c.variables(c.variables(statics["timers"]["variablesReference"])["[0]"]["variablesReference"])
        check("a field", "toggle" in timer["fired"]["value"] or timer["fired"]["value"].startswith("0x"),
            timer["fired"])
        names = c.variables(scopes["Registers"])
        check("registers", registers in names and pointer in names, list(names))
        seen = [c.value("when", context="repl")]
        for _ in range(3):
            c.go("continue", reason="breakpoint")
            seen.append(c.value("when", context="repl"))
        for time in reversed(seen[:-1]):
            c.go("reverseContinue", reason="breakpoint")
            equal("%s, going back" % board, c.value("when", context="repl"), time)
        c.go("next", reason="step")
        c.go("stepBack", reason="step")
        equal("a line on and back", (c.top()["name"], c.top()["line"]), ("toggle", line))
        info = c.ask("dataBreakpointInfo", name="timers[1]")
        check("a data breakpoint", c.ask("setDataBreakpoints", breakpoints=[
            {"dataId": info["dataId"], "accessType": "write"}])["breakpoints"][0]["verified"])
        c.breaks(BLINK)
        c.go("continue", reason="data breakpoint")
        equal("status", c.leave(), 0)


def mixed():
    """AVR and MSP430 in one network, in one session; a breakpoint of one node."""
    scenario = work.name + "/both.lua"
    with open(scenario, "w") as f:
        f.write('node{ id = 1, board = "micaz", firmware = "%s/blink-micaz.elf" }\n'
                'node{ id = 2, board = "telosb", firmware = "%s/blink-telosb.elf", boot = 0.1 }\n'
                'node{ id = 3, board = "micaz", firmware = "%s/blink-micaz.elf", boot = 0.2 }\n'
                'run_for(2)\n' % (FIRMWARE, FIRMWARE, FIRMWARE))
    line = line_of(BLINK, "leds_toggle")
    c = Client()
    c.launch(lambda: c.breaks(BLINK, line), program=scenario)
    equal("nodes", [t["name"] for t in c.ask("threads")["threads"]],
          ["node 1 (micaz)", "node 2 (telosb)", "node 3 (micaz)"])
    seen = []
    for _ in range(6):
        seen.append((c.stopped("breakpoint")["threadId"], c.value("when", context="repl")))
        equal("where", c.top(seen[-1][0])["name"], "toggle")
        c.ask("continue", threadId=1)
    seen.append((c.stopped("breakpoint")["threadId"], c.value("when", context="repl")))
    equal("who", sorted(set(thread for thread, _ in seen)), [1, 2, 3])
    for place in reversed(seen[:-1]):
        s = c.go("reverseContinue", thread=seen[-1][0], reason="breakpoint")
        equal("going back", (s["threadId"], c.value("when", context="repl")), place)
    first, last = c.stack(1), c.stack(3)
    check("all can be looked at", first and last)
    references = [c.stack(t)[0]["instructionPointerReference"] for t in (1, 2, 3)]
    check("memory of its own", references[1].startswith("0x1") and len(references[1]) > 9, references)
    code = c.ask("disassemble", memoryReference=references[1], instructionCount=4)["instructions"]
    equal("instructions of the other kind", code[0]["address"], references[1])
    check("nodes", "telosb" in c.value("nodes", context="repl"))
    b = c.breaks(BLINK, {"line": line, "condition": "node 2"})
    check("one node", b[0]["verified"], b)
    equal("only that one", [c.go("continue", reason="breakpoint")["threadId"] for _ in range(2)], [2, 2])
    b = c.breaks(BLINK, {"line": line, "condition": "node 7"})
    check("no such node", not b[0]["verified"] and "node 7" in b[0]["message"], b)
    c.go("continue", reason="end")
    check("the scenario's end", c.value("when", context="repl").startswith("2.0"))
    equal("status", c.leave(), 0)


def network():
    """Nodes with the same firmware, by options."""
    c = Client()
    c.launch(lambda: c.functions({"name": "toggle", "hitCondition": "3"}), program=FIRMWARE + "/blink-telosb.elf",
             board="telosb", nodes=3, seed=5, boot=["0:0", "1:0.1s", "2:0.2s"], **{"for": "2s"})
    equal("the third node", c.stopped("function breakpoint")["threadId"], 3)
    c.go("stepOut", thread=3, reason="step")
    c.leave()


def saved_run():
    """Backward through a saved run, whose input comes again."""
    path, heard = work.name + "/echo.motet", work.name + "/in"
    with open(heard, "w") as f:
        f.write("hello\n")
    motet("run", FIRMWARE + "/cli-echo.elf", "--serial", "0=file:%s,%s" % (heard, os.devnull), "--for", "1s", "--quiet",
          "--save", path)
    c = Client()
    c.launch(program=path, at="0.5s", stopOnEntry=True)
    c.stopped("entry")
    check("it begins there", c.value("when", context="repl").startswith("0.5"))
    s = c.go("reverseContinue")
    check("to the beginning", "history begins" in s["text"], s)
    s = c.go("continue", reason="end")
    check("not beyond the end", c.value("when", context="repl").startswith("1.0"))
    check("what it printed", "HELLO" in c.output("stdout"), c.output())
    equal("once", c.output("stdout").count("HELLO"), 1)
    equal("status", c.leave(), 0)


def counterexample():
    """From the fault back to what led to it."""
    path = work.name + "/found.motet"
    motet("check", "--as-found", "--board", "micaz", "--nodes", "2", "--save", path,
          FIRMWARE + "/dhv-micaz-dhv-vertical-checked.elf")
    c = Client()
    c.launch(program=path)
    s = c.stopped("exception")
    check("the fault", "null pointer" in s["text"], s)
    info = c.ask("exceptionInfo", threadId=s["threadId"])
    equal("its kind", info["exceptionId"], "trap")
    check("where", "dhv.c" in info["details"]["message"], info)
    check("it is printed", "null pointer" in c.output(), c.output())
    check("the other has none", "no fault" in c.refused("exceptionInfo", threadId=3 - s["threadId"]))
    check("the place", "items_protocol_say" in [f["name"] for f in c.stack(s["threadId"])], c.stack(s["threadId"]))
    there = c.value("when", context="repl")
    c.go("stepBack", thread=s["threadId"], granularity="instruction")
    check("before it", c.value("when", context="repl") != there)
    s = c.go("continue", thread=s["threadId"], reason="exception")
    equal("again", c.value("when", context="repl"), there)
    c.leave()


def faults():
    for firmware, board, kind in (("fault-null_write", "uno", "null-write"),
                                  ("fault-stack_recursion-msp430", "msp430f149", "stack-overflow")):
        c = Client()
        c.launch(program="%s/%s.elf" % (FIRMWARE, firmware), board=board)
        c.stopped("exception")
        equal(firmware, c.ask("exceptionInfo", threadId=1)["exceptionId"], kind)
        c.ask("continue", threadId=1)
        equal("the exit code", c.event("exited")["exitCode"], 1)
        c.leave()
    c = Client()
    c.launch(program=FIRMWARE + "/fault-null_write.elf", fault="null-write=warn")
    c.stopped("end")
    check("a warning", "null" in c.output("stderr"), c.output())
    c.leave()


def cortex():
    """A third instruction set, if there is a compiler for it."""
    compiler, folder, elf = shutil.which("arm-none-eabi-gcc"), SOURCE + "/tests/cortex", work.name + "/hello.elf"
    if not compiler:
        return
    subprocess.run([compiler, "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard", "-O1", "-g",
                    "-ffreestanding", "-nostdlib", "-I" + SOURCE + "/target/include", "-I" + folder, "-T",
                    folder + "/link.ld", folder + "/start.c", folder + "/hello.c", "-o", elf, "-lgcc"], check=True)
    c = Client()
    c.launch(lambda: c.functions("on_irq"), program=elf, board="nrf52840dk", serial="0=null")
    c.stopped("function breakpoint")
    equal("out of a handler", [f["name"] for f in c.stack()], ["on_irq", "main"])
    for _ in range(2):
        c.go("continue", reason="function breakpoint")
    equal("blinks", c.value("blinks"), "2")
    c.go("reverseContinue", reason="function breakpoint")
    equal("blinks before", c.value("blinks"), "1")
    equal("status", c.leave(), 0)


def node_log():
    flash = work.name + "/flash"
    firmware = FIRMWARE + "/record-steady-micaz.elf"
    if not os.path.exists(firmware):
        return  # there is no motet cc
    motet("run", "--quiet", firmware, "--board", "micaz", "--for", "1s", "--save-flash", flash)
    c = Client()
    c.launch(lambda: c.breaks(SOURCE + "/tests/record/steady.c", 18), program=firmware, log=flash, board="micaz")
    c.stopped("breakpoint")
    first = c.value("when", context="repl")
    c.go("continue", reason="breakpoint")
    c.go("reverseContinue", reason="breakpoint")
    equal("back", c.value("when", context="repl"), first)
    c.breaks(SOURCE + "/tests/record/steady.c")
    s = c.go("continue", reason="end")
    check("the log's end", "replay is over" in s["text"], s)
    c.leave()


def waiting(*words):
    """A server that waits, and its port."""
    p = subprocess.Popen([MOTET, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = p.stderr.readline().decode()
    port = int(re.search(r"port (\d+)", said).group(1))
    return p, port


def over(p):
    status = p.wait(60)
    said = p.stderr.read().decode()
    p.stdout.close()
    p.stderr.close()
    return status, said


def ports():
    """An editor that connects, instead of starting it."""
    p, port = waiting("dap", "--port", "0")
    c = Client(port=port)
    c.launch(lambda: c.functions("main"), program=FIRMWARE + "/blink-uno.elf")
    c.stopped("function breakpoint")
    c.leave()
    equal("it ends", over(p), (0, ""))
    p, port = waiting("dap", "--port", "0")
    taken = motet("dap", "--port", str(port))
    equal("a port in use", (taken.returncode, taken.stdout), (2, b""))
    check("in words", b"cannot listen on port" in taken.stderr and taken.stderr.count(b"\n") == 1, taken.stderr)
    Client(port=port).socket.shutdown(socket.SHUT_RDWR)
    status, said = over(p)
    equal("a client that leaves at once", status, 2)
    check("in words", "without a disconnect" in said, said)


def attach():
    """To what is set up already; a client leaves, and the next one finds it where it was."""
    p, port = waiting("debug", FIRMWARE + "/blink-telosb.elf", "--board", "telosb", "--nodes", "2", "--dap", ":0")
    c = Client(port=port)
    c.launch(lambda: c.functions("toggle"), request="attach")
    c.stopped("entry")
    c.go("continue", reason="function breakpoint")
    there = c.value("when", context="repl")
    c.ask("disconnect", terminateDebuggee=False)
    c.end()
    c = Client(port=port)
    c.ask("initialize", adapterID="motet")
    check("it is there already", "use an attach request" in c.refused("launch", program="x"))
    c.post("attach")
    c.event("initialized")
    c.ask("configurationDone")
    c.stopped("entry")
    equal("where it was", c.value("when", context="repl"), there)
    c.ask("disconnect", terminateDebuggee=True)
    c.end()
    status, said = over(p)
    equal("it ends", status, 0)
    c = Client([MOTET, "open", work.name + "/echo.motet", "--at", "0.25s", "--dap", "-"])
    if os.path.exists(work.name + "/echo.motet"):
        c.launch(request="attach")
        c.stopped("entry")
        check("by standard input", c.value("when", context="repl").startswith("0.25"))
        equal("status", c.leave(), 0)
    c = Client()
    c.ask("initialize", adapterID="motet")
    check("nothing to attach to", "nothing to attach to" in c.refused("attach"))
    equal("status", c.leave(), 0)


main([boards, mixed, network, saved_run, counterexample, faults, cortex, node_log, ports, attach])
