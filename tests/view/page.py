#!/usr/bin/env python3
"""usage: page.py FOLDER SENSOR PICTURES
FOLDER has run.motet (nine nodes) and one.html (a report of SENSOR). The page in a real browser: what it shows is what
motet says; keys, slider and clicks move it; two browsers at once, and a tab that is closed in the middle; nothing but
the loopback address is asked for, and the console is silent."""
import atexit, json, os, re, signal, subprocess, sys, time, urllib.error, urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from browser import Browser, check

folder, sensor, pictures = sys.argv[1:]
motet = os.environ["MOTET"]
saved = folder + "/run.motet"


def asked(*arguments, text=None):
    return subprocess.run([motet, *arguments], capture_output=True, text=True, input=text, timeout=60).stdout


def launched(*arguments):
    p = subprocess.Popen([motet, "view", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    atexit.register(lambda: p.poll() is None and p.kill())  # where the test breaks off
    return p


def started(*arguments):
    p = launched(*arguments)
    return p, p.stdout.readline().strip()


def refused(address, **headers):
    try:
        urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=10)
    except urllib.error.HTTPError as e:
        return e.code
    return 200


server, address = started(saved)
check(re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", address), f"the address is {address}")
root = address[: address.rindex("/", 0, -1) + 1]
check(refused(root) == 403 and refused(root + "0" * 32 + "/") == 403, "a page without the token")
check(refused(address, Host="example.org") == 403, "a page for another host")
check(refused(address + "nothing") == 404, "a page that is not there")
for query in ("window?from=-1&to=99999999999999999999", "at?time=x", "variable?what=&node=77", "window?from=5&to=1"):
    json.load(urllib.request.urlopen(address + query, timeout=10))

browser = Browser()
p = browser.page(address)
p.painted()
check(p.value("nodes.length") == 9, "there should be nine nodes")

# What the page shows at a time is what motet open says.
for at in ("1.1s", "1.234567s", "3.9s"):
    truth = json.loads(asked("open", saved, "--at", at, "--json"))
    p.value(f"go_to({float(at[:-1]) * 1e9})")
    check(p.until("exact && exact.time == cursor"), f"the server does not say where the nodes are at {at}")
    check(p.value("exact.digest") == truth["digest_now"], f"another digest at {at}")
    shown = p.value("exact.nodes.map(n => [n.state, n.place, n.instructions])")
    check(shown == [[n["state"], n["place"], n["instructions"]] for n in truth["nodes"]], f"nodes at {at}: {shown}")
    p.painted()
    rows = p.value("[...panel_place.querySelectorAll('tr.row')].map(r => r.children[1].textContent)")
    check(rows == [n["state"] for n in truth["nodes"]], f"the table at {at}: {rows}")
p.picture(pictures + "/nine.png")

# A click on a frame takes all nodes there.
box = p.value("(r => [r.left, r.top])(canvas.getBoundingClientRect())")
p.value("from = 1e9, span = 1e8, refresh()")
check(p.until("loaded.frames.some(f => f.bytes && f.begin > 1.02e9 && f.begin < 1.08e9 && f.heard.length > 2)"), "no frames")
frame = p.value("""(f => [f.begin, f.node, f.number, x_of((f.begin + f.end) / 2), y_of(f.node)])(
    loaded.frames.find(f => f.begin > 1.02e9 && f.begin < 1.08e9 && f.heard.length > 2))""")
p.click(box[0] + frame[3], box[1] + frame[4])
check(p.value("picked && picked.frame && picked.frame.number") == frame[2], "a click does not select the frame")
check(p.value("cursor") == frame[0], "a click does not take the nodes to the frame")
p.painted()
text = p.value("panel_place.textContent")
check("sent by" in text and "received" in text, f"the panel does not tell the frame: {text[:300]}")
p.picture(pictures + "/frame.png")

# Keys and the slider go through time in both directions.
here = p.value("cursor")
p.key("ArrowRight")
later = p.value("cursor")
check(later > here, "→ does not go to the next event")
p.key("ArrowLeft")
check(p.value("cursor") == here, "← does not come back")
p.value("(s => { s.value = 50000; s.dispatchEvent(new Event('input')) })(by_id('slider'))")
p.painted()
check(p.value("cursor") == 2e9, "the slider does not lead to the middle")
p.key("Home")
check(p.value("from <= 0 && from + span >= END"), "Home does not show all")
p.key("ArrowDown")
check(p.value("chosen") == 0, "↓ does not choose a node")
check(p.until("loaded.pins_of == 0"), "the pins of the chosen node do not come")
p.mouse("mouseWheel", box[0] + 500, box[1] + 200, deltaX=0, deltaY=-1200)
p.painted()
check(p.value("span") < 1.5e9, "the wheel does not zoom")
check(p.until("!asking_window && (loaded.to - loaded.from <= 4 * span || !loaded.gap && !loaded.hidden)"), "the server does not send what the zoom shows")
check(p.value("loaded.bars") <= 8000, "too many bars are sent")

# When was a variable written last? As Motet's own debugger says it.
p.value("chosen = 3, go_to(2e9)")
p.painted()
p.value("(i => { i.value = 'heard'; by_id('written').click() })(by_id('variable'))")
check(p.until("last_write"), "no answer about the last write")
told = asked("open", saved, "--debug", "--line", "--at", "2s", text="last-write 3:heard\nquit\n")
when = re.search(r"was written at ([0-9.]+) s", told)
check(when and abs(p.value("last_write.written") - float(when[1]) * 1e9) < 1, f"last write: {p.value('last_write')} {told}")
p.painted()
check("heard =" in p.value("panel_place.textContent"), "the answer is not shown")
p.value("show_debugger()")
check(p.value("by_id('command').textContent") == f"motet open --debug {saved} --at 2.000000000s", "the command for gdb")
p.value("by_id('dialog').close()")

# Each panel, in the dark too, and a second browser while the first is there.
other = Browser()
q = other.page(address, dark=True)
for tab in q.value("Object.keys(panels)"):
    q.value(f"tab = '{tab}', go_to(3e9)")
    q.painted()
    check(len(q.value("panel_place.textContent")) > 10, f"{tab} is empty")
q.value("tab = 'Source', chosen = 4, refresh()")
q.painted()
check(q.value("document.querySelectorAll('.line.hit').length") > 20, "no line is covered")
q.picture(pictures + "/dark.png")
check(q.value("nodes.length") == 9 and p.value("nodes.length") == 9, "two browsers at once")
q.value("void fetch('variable?what=heard&node=1&time=3900000000&last=1'), void fetch('at?time=3800000000')")
q.close()  # in the middle of its requests
check(refused(address) == 200, "the server has gone with a tab")
os.write(other.out, json.dumps({"id": 1, "method": "Browser.close"}).encode() + b"\0")
other.process.wait(20)

# A report needs no server.
r = browser.page("file://" + folder + "/one.html")
r.painted()
check(r.value("nodes.length == 1 && !served"), "the report of one node")
check("Events" in r.value("tabs.textContent") and r.value("notes.some(n => n.kind == 'fault')"), "the fault")
check(r.value("cursor") == r.value("notes.find(n => n.kind == 'fault').time"), "the report does not begin at the fault")
check(r.value("by_id('written').disabled") and "motet view" in r.value("panel_place.textContent"),
      "the report does not say who answers about last writes")
r.value("tab = 'Serial', refresh()")
r.painted()
check("a list 30 deep: sum 30" in r.value("panel_place.textContent"), "serial output")
r.value("document.querySelector('.event').click()")
r.painted()
check(r.value("cursor") == r.value("outputs[0].time"), "a click on a line of output does not lead there")
# A click on a change of a variable leads there.
place = r.value("""(() => { tab = "Nodes", from = 0.4e9, span = 0.2e9, draw(); const row = lanes().list[0].rows.findIndex(q => q.kind == "value");
    const list = loaded.values[0].get(0), i = first_at(list.times, 0.5e9), y = lanes().list[0].top + lanes().height + 20;
    return row == 0 ? [x_of(list.times[i]), y, list.times[i], list.values[i]] : null })()""")
corner = r.value("(q => [q.left, q.top])(canvas.getBoundingClientRect())")
r.click(corner[0] + place[0], corner[1] + place[1])
check(r.value("cursor") == place[2], "a click on a change of a variable does not lead there")
check(f"to {place[3]}" in r.value("panel_place.textContent"), "the change is not told")
r.picture(pictures + "/one.png")
for page in (p, q, r):
    check(not page.said, f"the console says: {page.said[:3]}")
    check(all(a.startswith((address, "file://", "data:")) for a in page.asked), f"asked for {page.asked}")

server.send_signal(signal.SIGINT)
check(server.wait(20) == 0, "Ctrl-C should end the server with status 0")

# A firmware, which is run and saved for as long as it is shown; looking has changed nothing.
server, address = started("--board", "uno", "--for", "2s", sensor)
kept = json.loads(re.search(r'"debug":("[^"]*")', urllib.request.urlopen(address).read().decode())[1])
path = kept.split()[3]
check(os.path.exists(path), f"{kept}: there is no such file")
before = json.loads(asked("run", "--board", "uno", "--for", "2s", "--json", "--quiet", "--serial", "0=null", sensor))
check(json.loads(asked("open", path, "--json"))["digest"] == before["digest"], "the digest is another with a view")
server.send_signal(signal.SIGTERM)
check(server.wait(20) == 0 and not os.path.exists(os.path.dirname(path)), "something is left of the view")

# A run without an end: Ctrl-C ends it, and it is shown until the next one.
server = launched("--board", "micaz", "--save", folder + "/kept.motet",
                  os.path.join(os.path.dirname(sensor), "network-cc2420-beacon.elf"))
while not [f for f in os.listdir(folder) if f.startswith("kept.motet")]:
    time.sleep(0.02)
time.sleep(0.2)
server.send_signal(signal.SIGINT)
address = server.stdout.readline().strip()
check(refused(address) == 200, "a run that was ended by Ctrl-C is not shown")
server.send_signal(signal.SIGINT)
check(server.wait(20) == 0 and os.path.exists(folder + "/kept.motet"), "the second Ctrl-C should end the view")
browser.end()
