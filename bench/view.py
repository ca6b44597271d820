#!/usr/bin/env python3
"""usage: view.py MOTET SOURCE RUN
How long the page of motet view takes for a saved run, in headless Chromium: a line for each measure, `name seconds`.
Each is the median of several: the first paint of a page that was opened (from the beginning of its loading), one drawing
of all of the run, seeking (until all nodes are known to stand where the cursor is), zooming (until what the zoom shows
has come from the server and is drawn)."""
import os, signal, statistics, subprocess, sys

motet, source, run = sys.argv[1:]
sys.path.insert(0, os.path.join(source, "tests", "lib"))
from browser import Browser

server = subprocess.Popen([motet, "view", run], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
address = server.stdout.readline().strip()
browser = Browser()
firsts, draws = [], []
for _ in range(5):
    page = browser.page(address)
    page.painted()
    firsts.append(page.value("first_paint") / 1000)
    draws.append(page.value("draw(), draw_time") / 1000)
    last = page
measure = """(async change => { const times = [];
    const settled = () => new Promise(done => { const look = () => %s ? requestAnimationFrame(() => done()) : setTimeout(look, 1); look(); });
    for (let i = 1; i <= 9; i++) { const began = performance.now(); change(i); await new Promise(requestAnimationFrame);
        await settled(); times.push(performance.now() - began); }
    return times; })"""
# The page waits 80 ms for a cursor that may go on before it asks where the nodes are.
seeks = last.value(measure % "exact && exact.time == cursor" + "(i => go_to(END * ((i * 7) % 10) / 10 + 12345678))")
zooms = last.value(measure % "!asking_window && !pending" + "(i => { span = END / Math.pow(2.5, i); from = END * ((i * 3) % 9) / 10; refresh(); })")
print("first", statistics.median(firsts))
print("draw", statistics.median(draws))
print("seek", statistics.median(seeks) / 1000)
print("zoom", statistics.median(zooms) / 1000)
server.send_signal(signal.SIGINT)
server.wait(20)
browser.end()
