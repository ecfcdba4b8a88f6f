# SPDX-License-Identifier: GPL-2.0-or-later
"""Chromium, driven by its DevTools protocol through a pipe: no port, so that it works where there is no network at all.

    with Browser() as browser:
        page = browser.open("file:///tmp/page.html", width=1280, height=900, dark=False)
        page.wait("document.readyState === 'complete'")
        page.errors     # what the console and the network had to say
"""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

KEYS = {"Tab": 9, "Enter": 13}
LIMIT_S = 120	# for each condition: a busy machine takes many seconds to start a browser


class Failed(Exception):
    pass


class Browser:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="wt-chromium.")
        to_read, self.write_fd = os.pipe()
        self.read_fd, to_write = os.pipe()
        to_read, to_write = (fcntl_dup(fd) for fd in (to_read, to_write))
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--force-color-profile=srgb", "--user-data-dir=" + self.home, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(3, 4), close_fds=True,
            start_new_session=True,
            preexec_fn=lambda: (os.dup2(to_read, 3), os.dup2(to_write, 4)),
            env={**os.environ, "HOME": self.home, "TMPDIR": self.home, "XDG_RUNTIME_DIR": self.home})
        os.close(to_read)
        os.close(to_write)
        self.buffer = b""
        self.number = 0
        self.answers = {}
        self.pages = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.read_fd)
        os.close(self.write_fd)
        # Its other processes end a moment later than the first, and write into the folder until then.
        until = time.monotonic() + LIMIT_S
        while os.path.exists(self.home) and time.monotonic() < until:
            shutil.rmtree(self.home, ignore_errors=True)
            time.sleep(0.05)

    def read(self, until):
        """Take in what the browser says, for a moment; raises Failed when 'until' has passed."""
        if time.monotonic() > until:
            raise Failed("the browser did not answer in time")
        if select.select([self.read_fd], [], [], 0.5)[0]:
            data = os.read(self.read_fd, 1 << 20)
            if not data:
                raise Failed("the browser ended")
            self.buffer += data
        *messages, self.buffer = self.buffer.split(b"\0")
        for text in messages:
            message = json.loads(text)
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("sessionId") in self.pages:
                self.pages[message["sessionId"]].heard(message["method"], message["params"])

    def call(self, method, params=None, session=None):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_fd, data):]
        until = time.monotonic() + LIMIT_S
        while number not in self.answers:
            self.read(until)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Failed(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, url, width=1280, height=900, dark=False, scale=1, touch=False):
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = Page(self, session, target)
        self.pages[session] = page
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(domain + ".enable")
        page.look(width, height, dark, scale, touch)
        page.call("Page.navigate", {"url": url})
        page.wait("location.href !== 'about:blank' && document.readyState === 'complete'")
        return page

    def clear(self):
        """Close all pages; what cannot be closed any more is not there."""
        for page in list(self.pages.values()):
            try:
                page.close()
            except (Failed, OSError):
                pass
        self.pages.clear()


def fcntl_dup(fd):
    """The same pipe above the numbers 3 and 4, which the browser wants for itself."""
    import fcntl
    above = fcntl.fcntl(fd, fcntl.F_DUPFD, 10)
    os.close(fd)
    return above


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target
        self.errors, self.requests = [], []

    def heard(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(arg.get("value", arg.get("description"))) for arg in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"][:200])

    def call(self, method, params=None):
        return self.browser.call(method, params, self.session)

    def look(self, width, height, dark=False, scale=1, touch=False):
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": touch})
        self.call("Emulation.setTouchEmulationEnabled", {"enabled": touch, "maxTouchPoints": 2})
        self.call("Emulation.setEmulatedMedia",
                  {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def js(self, expression):
        result = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise Failed(f"{expression}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def wait(self, condition, what=None):
        until = time.monotonic() + LIMIT_S
        while True:
            value = self.js(condition)
            if value:
                return value
            if time.monotonic() > until:
                raise Failed(f"in vain: {what or condition}")
            time.sleep(0.05)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def touch(self, kind, *points):
        self.call("Input.dispatchTouchEvent",
                  {"type": kind, "touchPoints": [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]})

    def key(self, key, code=None):
        text = {"text": key} if len(key) == 1 else {}
        if key in KEYS:		# what the browser itself acts upon it takes by number
            text = {"windowsVirtualKeyCode": KEYS[key], **({"text": "\r"} if key == "Enter" else {})}
        self.call("Input.dispatchKeyEvent", {"type": "keyDown", "key": key, "code": code or key, **text})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", "key": key, "code": code or key})

    def screenshot(self, path, **more):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot", {"format": "png", **more})["data"]))

    def pdf(self, path):
        """Returns how many bytes it has."""
        data = base64.b64decode(self.call("Page.printToPDF", {"printBackground": True})["data"])
        with open(path, "wb") as out:
            out.write(data)
        return len(data)

    def close(self):
        self.browser.pages.pop(self.session, None)
        self.browser.call("Target.closeTarget", {"targetId": self.target})
