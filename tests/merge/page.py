#!/usr/bin/env python3
"""usage: page.py PAGE STORY [PICTURE]
The page of motet merge --html in a real browser (headless Chromium, over its debugging pipe): it says nothing on its
console, moves, zooms, and shows the causal past of an event that is clicked, which is that of the story's vector clocks
(STORY: what --json printed). PICTURE gets a screenshot."""
import base64, json, os, subprocess, sys, tempfile

page, story = sys.argv[1], [json.loads(line) for line in open(sys.argv[2])]


class Browser:
    def __init__(self):
        to_it, self.out = os.pipe()
        self.inp, from_it = os.pipe()
        os.set_inheritable(to_it, True)
        os.set_inheritable(from_it, True)
        # The shell gives the pipes the numbers that Chromium expects, 3 and 4.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec 3<&{to_it} 4>&{from_it}; exec "$@"', "sh", "chromium", "--headless", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--window-size=1200,600",
             "--remote-debugging-pipe", "--user-data-dir=" + tempfile.mkdtemp(), "about:blank"],
            close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_it)
        os.close(from_it)
        self.number, self.rest, self.said, self.loaded, self.session = 0, b"", [], False, None

    def heard(self):
        while b"\0" not in self.rest:
            piece = os.read(self.inp, 1 << 20)
            if not piece:
                sys.exit("FAILED: the browser has ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        m = json.loads(message)
        method = m.get("method", "")
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.said.append(json.dumps(m["params"])[:300])
        self.loaded |= method == "Page.loadEventFired"
        return m

    def ask(self, method, **parameters):
        self.number += 1
        m = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            m["sessionId"] = self.session
        os.write(self.out, json.dumps(m).encode() + b"\0")
        while True:
            answer = self.heard()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"FAILED: {method}: {answer['error']}")
                return answer["result"]

    def value(self, expression):
        r = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in r:
            sys.exit(f"FAILED: {expression}: {r['exceptionDetails']}")
        return r["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)


failed = False


def check(good, text):
    global failed
    if not good:
        failed = True
        print("FAILED:", text)


b = Browser()
target = b.ask("Target.createTarget", url="about:blank")["targetId"]
b.session = b.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
for domain in ("Page", "Runtime", "Log"):
    b.ask(domain + ".enable")
b.ask("Page.navigate", url="file://" + os.path.abspath(page))
while not b.loaded:
    b.heard()
check(b.value("count") == len(story), "the page has other events than the story")
box = b.value("(r => [r.left, r.top, r.width, r.height])(canvas.getBoundingClientRect())")
left, top, width, height = box
middle = left + width / 2, top + height / 2

before = b.value("[from, span]")
b.mouse("mousePressed", *middle, button="left", clickCount=1)
b.mouse("mouseMoved", middle[0] - 100, middle[1], button="left", buttons=1)
b.mouse("mouseReleased", middle[0] - 100, middle[1], button="left", clickCount=1)
after = b.value("[from, span]")
check(after[0] > before[0] and after[1] == before[1], f"dragging does not move it: {before} {after}")
check(b.value("selected") == -1, "dragging selects an event")
b.mouse("mouseWheel", *middle, deltaX=0, deltaY=-600)
zoomed = b.value("[from, span]")
check(zoomed[1] < after[1] / 2, f"the wheel does not zoom: {after} {zoomed}")

# A receive in the middle, zoomed so far that nothing else is near.
receives = [i for i, e in enumerate(story) if e.get("cause")]
chosen = receives[len(receives) // 2]
b.value(f"span = 2e-5, from = time[{chosen}] - 1e-5, draw()")
x, y = b.value(f"[x_of(time[{chosen}]), y_of(node[{chosen}])]")
b.mouse("mousePressed", left + x, top + y, button="left", clickCount=1)
b.mouse("mouseReleased", left + x, top + y, button="left", clickCount=1)
selected = b.value("selected")
check(selected == chosen, f"a click selects event {selected} instead of {chosen}")
e = story[selected]
past = sum(n for n in e["clock"].values()) - 1
check(b.value("mark.reduce((sum, m) => sum + (m == 1), 0)") == past, "the causal past is not that of the vector clock")
text = b.value("side.textContent")
check(f"{past} events (orange)" in text, f"the panel does not tell the causal past: {text[:300]}")
check(f"node {e['node']} #{e['event']} {e['what']}" in text and e.get("place", "") in text, f"panel: {text[:300]}")
check("received from" in text and f"node {e['cause']['node']} #{e['cause']['event']}" in text, "panel: no cause")
b.value("side.querySelector('dd a').click()")
there = story[b.value("selected")]
check({"node": there["node"], "event": there["event"]} == e["cause"], "the link does not lead to the cause")
b.value("span = 5, from = time[selected] - 4, draw()")
orange = b.value("""(() => { const all = pen.getImageData(0, 0, canvas.width, canvas.height).data; let n = 0;
    for (let i = 0; i < all.length; i += 4) n += all[i] == 0xe6 && all[i + 1] == 0x95 && all[i + 2] == 0; return n; })()""")
check(orange > 20, f"only {orange} points of the picture have the colour of the past")
if len(sys.argv) > 3:
    open(sys.argv[3], "wb").write(base64.b64decode(b.ask("Page.captureScreenshot")["data"]))
b.ask("Input.dispatchKeyEvent", type="keyDown", key="Home")
check(abs(b.value("span") - before[1]) < 1e-9, "Home does not show all")
b.value("(s => { s.value = 'beacon_received'; s.dispatchEvent(new Event('change')) })(document.getElementById('search'))")
check(b.value("found.length") > 0, "nothing is found")
check(not b.said, f"the console says: {b.said[:3]}")
b.session = None
os.write(b.out, json.dumps({"id": 99999, "method": "Browser.close"}).encode() + b"\0")
b.process.wait(20)
sys.exit(failed)
