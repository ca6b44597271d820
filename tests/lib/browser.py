"""A real browser for tests of pages: headless Chromium, driven over its debugging pipe.

    from browser import Browser, check
    b = Browser()
    p = b.page("file:///tmp/report.html")
    p.value("nodes.length")

A page keeps what its console said (`said`) and which addresses it asked for (`asked`). `check` counts what is not as it
should be; `b.end()` closes the browser and ends the test with the status."""
import atexit, base64, fcntl, json, os, shutil, subprocess, sys, tempfile, time

failures = 0


def check(good, text):
    global failures
    if not good:
        failures += 1
        print("FAILED:", text)


class Browser:
    def __init__(self, width=1366, height=768):
        to_it, self.out = os.pipe()
        self.inp, from_it = os.pipe()
        self.profile = tempfile.mkdtemp()

        def number():  # Chromium expects the pipes at 3 and 4
            high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 100) for fd in (to_it, from_it)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
             "--disable-background-networking", f"--window-size={width},{height}",
             "--remote-debugging-pipe", "--user-data-dir=" + self.profile, "about:blank"],
            close_fds=False, preexec_fn=number, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(lambda: self.process.poll() is None and self.process.kill())  # where a test breaks off
        os.close(to_it)
        os.close(from_it)
        self.number, self.rest, self.pages = 0, b"", {}

    def heard(self):
        while b"\0" not in self.rest:
            piece = os.read(self.inp, 1 << 20)
            if not piece:
                sys.exit("FAILED: the browser has ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        m = json.loads(message)
        page = self.pages.get(m.get("sessionId"))
        if page:
            page.told(m.get("method", ""), m.get("params", {}))
        return m

    def ask(self, method, session=None, **parameters):
        self.number += 1
        m = {"id": self.number, "method": method, "params": parameters}
        if session:
            m["sessionId"] = session
        os.write(self.out, json.dumps(m).encode() + b"\0")
        while True:
            answer = self.heard()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"FAILED: {method}: {answer['error']}")
                return answer["result"]

    def page(self, address, dark=False):
        p = Page(self)
        if dark:
            p.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        p.ask("Page.navigate", url=address)
        while not p.loaded:
            self.heard()
        return p

    def end(self):
        os.write(self.out, json.dumps({"id": 99999, "method": "Browser.close"}).encode() + b"\0")
        self.process.wait(20)
        shutil.rmtree(self.profile, ignore_errors=True)
        sys.exit(failures > 0)


class Page:
    def __init__(self, browser):
        self.browser, self.said, self.asked, self.loaded = browser, [], [], False
        self.target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.ask("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")

    def told(self, method, params):
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.said.append(json.dumps(params)[:400])
        elif method == "Network.requestWillBeSent":
            self.asked.append(params["request"]["url"])
        self.loaded |= method == "Page.loadEventFired"

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    def value(self, expression):
        r = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            sys.exit(f"FAILED: {expression}: {r['exceptionDetails']}")
        return r["result"].get("value")

    def until(self, expression, seconds=20):
        """Waits until an expression of the page holds."""
        return self.value(f"""new Promise((good, bad) => {{ const end = performance.now() + {1000 * seconds};
            (function look() {{ if ({expression}) good(true); else if (performance.now() > end) good(false);
            else setTimeout(look, 20); }})() }})""")

    def painted(self):
        self.value("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(() => f(1))))")

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.painted()

    def key(self, key, text=None):
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **({"text": text} if text else {}))
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.painted()

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))

    def close(self):
        self.browser.ask("Target.closeTarget", targetId=self.target)
