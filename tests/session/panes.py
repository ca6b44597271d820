"""The panes of motet debug --tui on a pseudo-terminal: starts, steps forward and back, survives resizing, quits."""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

MOTET, FIRMWARE = sys.argv[1:3]
DEADLINE = 60


def resize(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class Screen:
    def __init__(self, *arguments, rows=40, columns=120, term="xterm"):
        self.process, self.fd = pty.fork()
        if self.process == 0:
            resize(0, rows, columns)
            os.environ["TERM"] = term
            os.execv(MOTET, ["motet", *arguments])
        self.seen = ""

    def read(self, wait):
        if not select.select([self.fd], [], [], wait)[0]:
            return False
        try:
            got = os.read(self.fd, 65536)
        except OSError:  # the other end has gone
            return False
        self.seen += got.decode("utf-8", "replace")
        return bool(got)

    def expect(self, *texts):
        """Waits until all of them were drawn since the last expectation."""
        end = time.monotonic() + DEADLINE
        while not all(text in self.seen for text in texts):
            if time.monotonic() > end:
                sys.exit(f"not on the screen: {texts}\n{self.seen[-4000:]!r}")
            self.read(0.2)
        self.seen = ""

    def send(self, text):
        os.write(self.fd, text.encode())

    def status(self):
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            self.read(0.1)
            pid, status = os.waitpid(self.process, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.process, signal.SIGKILL)
        sys.exit("it did not end")


# One node: forward, back, a breakpoint in the source, a variable, the stack; smaller, tiny and large again.
s = Screen("debug", "--tui", f"{FIRMWARE}/debug-counter.elf")
s.expect("variables", "stack", "nodes", "packets", "(motet)")
s.send("break add\n")
s.expect("Breakpoint 1 at 0xbc")
s.send("continue\n")
s.expect("counter.c", "uint16_t s = square(n);")
s.send("\x1b[18~")  # F7: step
s.expect("square")
s.send("reverse-step\n")
s.expect("uint16_t s")
s.send("rev\t\n")  # completed: reverse-continue
s.expect("reverse-execution history")
for rows, columns in ((20, 70), (5, 20), (1, 1), (50, 160)):
    resize(s.fd, rows, columns)
    os.kill(s.process, signal.SIGWINCH)
    s.read(0.3)
s.send("continue\n")
s.expect("Breakpoint 1, add")
s.send("print total\n")
s.expect("total = 0")
s.send("quit\n")
if s.status() != 0:
    sys.exit("quit should end it well")

# Many nodes: the pane scrolls by keys, stays within the list, and follows the node that is selected. Ctrl-L draws the
# whole screen; else only what has changed is drawn.
s = Screen("debug", "--tui", f"{FIRMWARE}/blink-micaz.elf", "--board", "micaz", "--nodes", "40")
s.expect("nodes 1 to 7 of 40 (PgUp, PgDn)", "* 0    micaz")
s.send("\x1b[6~\x0c")  # PgDn
s.expect("nodes 8 to 14 of 40", "7    micaz", "13   micaz")
s.send("\x1b[6~" * 10 + "\x0c")
s.expect("nodes 34 to 40 of 40", "39   micaz")
s.send("\x1b[5~" * 12 + "\x0c")  # PgUp
s.expect("nodes 1 to 7 of 40", "* 0    micaz")
s.send("node 33\n\x0c")
s.expect("* 33   micaz")
s.send("quit\n")
if s.status() != 0:
    sys.exit("quit should end it well")

# The end of input ends it too, and so does a terminal that has gone.
s = Screen("debug", "--tui", f"{FIRMWARE}/debug-counter.elf", rows=24, columns=80)
s.expect("(motet)")
s.send("\x04")
if s.status() != 0:
    sys.exit("Ctrl-D should end it well")
s = Screen("debug", "--tui", f"{FIRMWARE}/debug-counter.elf", rows=24, columns=80)
s.expect("(motet)")
os.close(s.fd)
end = time.monotonic() + DEADLINE
while os.waitpid(s.process, os.WNOHANG)[0] == 0:
    if time.monotonic() > end:
        os.kill(s.process, signal.SIGKILL)
        sys.exit("it should end when its terminal has gone")
    time.sleep(0.1)

# Without a terminal that can do it: a sentence.
s = Screen("debug", "--tui", f"{FIRMWARE}/debug-counter.elf", term="nothing-at-all")
if s.status() != 2 or "does not know the terminal" not in s.seen:
    sys.exit(f"an unknown terminal should be refused: {s.seen!r}")

# The lines on a terminal: edited, with history and completion.
os.environ["HOME"] = "/nonexistent"
s = Screen("debug", "--line", f"{FIRMWARE}/debug-counter.elf")
s.expect("(motet)")
s.send("tbreak squ\t\n")
s.expect("Temporary breakpoint 1")
s.send("continue\n")
s.expect("square (n=1)")
s.send("quit\n")
if s.status() != 0:
    sys.exit("quit should end the lines well")
