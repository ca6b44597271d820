#!/usr/bin/env python3
"""usage: page.py PAGE STORY [PICTURE]
The page of motet merge --html in a real browser (headless Chromium, over its debugging pipe): it says nothing on its
console, moves, zooms, and shows the causal past of an event that is clicked, which is that of the story's vector clocks
(STORY: what --json printed). PICTURE gets a screenshot."""
import json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from browser import Browser, check

story = [json.loads(line) for line in open(sys.argv[2])]
browser = Browser(1200, 600)
b = browser.page("file://" + os.path.abspath(sys.argv[1]))
check(b.value("count") == len(story), "the page has other events than the story")
box = b.value("(r => [r.left, r.top, r.width, r.height])(canvas.getBoundingClientRect())")
left, top, width, height = box
middle = left + width / 2, top + height / 2

before = b.value("[from, span]")
b.mouse("mousePressed", *middle, button="left", clickCount=1)
b.mouse("mouseMoved", middle[0] - 100, middle[1], button="left", buttons=1)
b.mouse("mouseReleased", middle[0] - 100, middle[1], button="left", clickCount=1)
b.painted()
after = b.value("[from, span]")
check(after[0] > before[0] and after[1] == before[1], f"dragging does not move it: {before} {after}")
check(b.value("selected") == -1, "dragging selects an event")
b.mouse("mouseWheel", *middle, deltaX=0, deltaY=-600)
b.painted()
zoomed = b.value("[from, span]")
check(zoomed[1] < after[1] / 2, f"the wheel does not zoom: {after} {zoomed}")

# A receive in the middle, zoomed so far that nothing else is near.
receives = [i for i, e in enumerate(story) if e.get("cause")]
chosen = receives[len(receives) // 2]
b.value(f"span = 2e4, from = time[{chosen}] - 1e4, draw()")
x, y = b.value(f"[x_of(time[{chosen}]), event_y({chosen})]")
b.click(left + x, top + y)
selected = b.value("selected")
check(selected == chosen, f"a click selects event {selected} instead of {chosen}")
e = story[selected]
past = sum(n for n in e["clock"].values()) - 1
check(b.value("mark.reduce((sum, m) => sum + (m == 1), 0)") == past, "the causal past is not that of the vector clock")
text = b.value("panel_place.textContent")
check(f"{past} events (orange)" in text, f"the panel does not tell the causal past: {text[:300]}")
check(f"node {e['node']} #{e['event']} {e['what']}" in text and e.get("place", "") in text, f"panel: {text[:300]}")
check("received from" in text and f"node {e['cause']['node']} #{e['cause']['event']}" in text, "panel: no cause")
b.value("panel_place.querySelector('dd a').click()")
there = story[b.value("selected")]
check({"node": there["node"], "event": there["event"]} == e["cause"], "the link does not lead to the cause")
b.painted()
b.value("span = 5e9, from = time[selected] - 4e9, draw()")
orange = b.value("""(() => { const all = pen.getImageData(0, 0, canvas.width, canvas.height).data; let n = 0;
    for (let i = 0; i < all.length; i += 4) n += all[i] == 0xe6 && all[i + 1] == 0x95 && all[i + 2] == 0; return n; })()""")
check(orange > 20, f"only {orange} points of the picture have the colour of the past")
if len(sys.argv) > 3:
    b.picture(sys.argv[3])
b.key("Home")
check(b.value("from <= time[0] && from + span >= time[count - 1]"), "Home does not show all")
b.value("(s => { s.value = 'beacon_received'; s.dispatchEvent(new Event('change')) })(document.getElementById('search'))")
check(b.value("found.length") > 0, "nothing is found")
check(not b.said, f"the console says: {b.said[:3]}")
browser.end()
