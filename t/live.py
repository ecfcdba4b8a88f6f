# SPDX-License-Identifier: GPL-2.0-or-later
"""live.py CHECK URL [ARGUMENT...]: the live page of a run or a cluster, from outside; prints what is not so."""
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from urllib.parse import urlsplit

LIMIT_S = 300	# for what must come at some time, on a busy machine


class Failed(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failed(text)


class Server:
    def __init__(self, url):
        parts = urlsplit(url)
        self.url, self.host, self.port, self.path = url, parts.hostname, parts.port, parts.path
        self.name = f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
        self.token = parts.path.strip("/")

    def connect(self):
        return socket.create_connection((self.host, self.port), timeout=LIMIT_S)

    def send(self, connection, method, path, **headers):
        headers = {"Host": self.name, **{name.replace("_", "-"): value for name, value in headers.items()}}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value is not None)
        connection.sendall(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode())

    def ask(self, method, path, **headers):
        """(status, headers, body) of one request, or (0, {}, b"") when the server hangs up."""
        with self.connect() as connection:
            try:
                self.send(connection, method, path, Connection="close", **headers)
                data = b""
                while block := connection.recv(65536):
                    data += block
            except ConnectionError:
                pass
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        if not lines[0]:
            return 0, {}, b""
        return int(lines[0].split()[1]), {k.lower(): v for k, _, v in (line.partition(": ") for line in lines[1:])}, body

    def state(self):
        status, _, body = self.ask("GET", self.path + "state.json")
        expect(status == 200, f"state.json: {status}")
        return json.loads(body)["set"]

    def events(self, connection=None):
        """Each event's name and data, as they come."""
        connection = connection or self.connect()
        self.send(connection, "GET", self.path + "events", Accept="text/event-stream")
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(65536)
        head, _, data = data.partition(b"\r\n\r\n")
        expect(b" 200 " in head.split(b"\r\n")[0] and b"text/event-stream" in head, head.decode("latin-1"))
        chunked = b"chunked" in head.lower()
        text = b""
        while True:
            if chunked:
                while (size := re.match(rb"([0-9a-fA-F]+)\r\n", data)) and len(data) >= size.end() + int(size[1], 16) + 2:
                    length = int(size[1], 16)
                    text += data[size.end():size.end() + length]
                    data = data[size.end() + length + 2:]
            else:
                text, data = text + data, b""
            while b"\n\n" in text:
                event, _, text = text.partition(b"\n\n")
                match = re.fullmatch(rb"event: (\w+)\ndata: (.*)", event)
                expect(match, f"no event: {event[:200]}")
                yield match[1].decode(), json.loads(match[2])
            block = connection.recv(65536)
            if not block:
                return
            data += block


def follow(server, out):
    """Read events to the end; the state that the deltas make of the snapshot goes to OUT, with what was seen on the way."""
    state, seen, points, ended = {}, {"snapshot": 0, "delta": 0, "end": 0}, [], set()
    phases = []
    for name, data in server.events():
        if not any(seen.values()):
            with open(out + ".began", "w", encoding="utf-8"):
                pass	# who ends the run waits for it
        seen[name] += 1
        state.update(data.get("set", {}))
        points += data.get("points", [])
        if state.get("phase") not in phases[-1:]:
            phases.append(state.get("phase"))
        ended.add(state.get("ended"))
    state.update(seen=seen, phases=phases, points=len(points), busiest=max((p[1] or 0 for p in points), default=0),
                 ordered=all(a[0] < b[0] for a, b in zip(points, points[1:])), values_of_ended=len(ended))
    with open(out, "w", encoding="utf-8") as file:
        json.dump(state, file)


def wait(server, condition):
    """Until the state makes a Python expression true."""
    until = time.monotonic() + LIMIT_S
    while True:
        state = server.state()
        if eval(condition, {}, state):	# the test's own text
            return
        expect(time.monotonic() < until, f"in vain: {condition}: {state}")
        time.sleep(0.1)


def rules(server):
    """Who is answered, and what else stands in the answer."""
    page = server.path
    refused = set()
    for path in ("/", "/events", "/metrics", "/favicon.ico", "/" + "0" * 32 + "/", "/" + "0" * 32 + "/events",
                 page[:-1], page[:-2] + "/", "/%2e%2e/", "//", "/" + server.token.upper() + "x/"):
        for method in ("GET", "POST", "HEAD"):
            status, headers, body = server.ask(method, path)
            expect(status == 403, f"{method} {path}: {status}")
            refused.add((body if method != "HEAD" else None, headers["content-type"]))
    expect(len(refused) == 2, f"refusals differ: {refused}")
    expect(server.token not in str(refused), "a refusal has the token")
    for host in ("evil.example", f"evil.example:{server.port}", "", f"127.0.0.1.evil.example:{server.port}", None):
        status, _, _ = server.ask("GET", page, Host=host)
        expect(status in (400, 403), f"Host {host}: {status}")
    for host in (f"localhost:{server.port}", "127.0.0.1", "[::1]:80"):
        status, _, _ = server.ask("GET", page, Host=host)
        expect(status == 200, f"Host {host}: {status}")
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW"):
        status, headers, _ = server.ask(method, page)
        expect(status == 405 and headers["allow"] == "GET, HEAD", f"{method}: {status} {headers}")
    for name in ("", "page.css", "live.css", "live.js", "state.json", "metrics"):
        status, headers, body = server.ask("GET", page + name)
        expect(status == 200 and body, f"{name}: {status}")
        expect(headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer" and
               "default-src 'none'" in headers["content-security-policy"], f"{name}: {headers}")
        expect(not any(key.startswith("access-control") for key in headers), f"{name}: {headers}")
        status, _, body = server.ask("HEAD", page + name)
        expect(status == 200 and not body, f"HEAD {name}: {status}")
    expect(server.ask("GET", page + "nothing")[0] == 404, "nothing is there")
    expect(server.ask("GET", page + "../etc/passwd")[0] == 404, "nothing else is there")
    status = server.ask("GET", page, X="x" * 65536)[0]
    expect(status == 0 or 400 <= status < 500, f"a head of 64 KiB: {status}")
    status = server.ask("GET", page + "x" * 65536)[0]
    expect(status == 0 or 400 <= status < 500, f"a path of 64 KiB: {status}")
    with server.connect() as connection:
        connection.sendall(bytes(range(256)) * 64)
    expect(server.ask("GET", page)[0] == 200, "after rubbish it is there")


SAMPLE = re.compile(r'([a-zA-Z_]\w*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (\S+)')


def metrics_read(text, suffixes):
    """{name and labels: value} of a text whose families and samples are in order."""
    samples, family, kind = {}, None, None
    for line in text.splitlines():
        if line.startswith("# "):
            _, word, name, *rest = line.split(" ", 3)
            if word == "TYPE":
                family, kind = name, rest[0]
            else:
                expect(name == family, f"{line}: not below its TYPE")
            expect(word != "UNIT" or name.endswith("_" + rest[0]), line)
            continue
        match = SAMPLE.fullmatch(line)
        expect(match, f"no sample: {line}")
        expect(match[1] in [family + suffix for suffix in suffixes[kind]], f"{line}: not of {family}, a {kind}")
        expect(match[1] + (match[2] or "") not in samples, f"twice: {line}")
        samples[match[1] + (match[2] or "")] = float(match[3])
    return samples


def metrics(server):
    """Both formats, and how the token comes."""
    asked = {"Accept": "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"}
    status, headers, body = server.ask("GET", server.path + "metrics", **asked)
    text = body.decode()
    expect(status == 200 and headers["content-type"].startswith("application/openmetrics-text; version=1.0.0"), headers)
    expect(text.endswith("\n# EOF\n") and text.count("# EOF") == 1, "no end")
    histogram = ["_bucket", "_count", "_sum"]
    new = metrics_read(text[:-len("# EOF\n")],
                       {"gauge": [""], "counter": ["_total"], "info": ["_info"], "histogram": histogram})
    status, headers, body = server.ask("GET", "/metrics", Authorization="Bearer " + server.token)
    expect(status == 200 and headers["content-type"].startswith("text/plain; version=0.0.4"), headers)
    old = metrics_read(body.decode(), {"gauge": [""], "counter": [""], "histogram": histogram})
    expect(new.keys() == old.keys(), f"the formats differ: {new.keys() ^ old.keys()}")
    expect(len(new) > 20, "too few")
    expect(server.ask("GET", "/metrics", Authorization="Bearer " + "0" * 32)[0] == 403, "a wrong token")


def memory_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


def crowd(server, pid):
    """200 who read, 20 who never come to the end of their request, one who asks on and on and never reads: all at once, and
    the run goes on meanwhile."""
    half = [server.connect() for _ in range(20)]
    for connection in half:
        connection.sendall(b"GET /" + server.token.encode())
    deaf = server.connect()
    deaf.settimeout(1)
    try:
        for _ in range(2000):
            server.send(deaf, "GET", server.path + "live.js")
    except TimeoutError:
        pass	# it does not take more either: bounded
    readers = [server.events() for _ in range(200)]
    for number, reader in enumerate(readers):
        name, _ = next(reader)
        expect(name == "snapshot", f"reader {number}: {name}")
    for number, reader in enumerate(readers):
        name, _ = next(reader)
        expect(name in ("delta", "snapshot"), f"reader {number}: {name}")
    used = memory_kib(pid)
    expect(used < 65536, f"the server has {used} KiB")
    expect(server.ask("GET", server.path)[0] == 200, "nobody else is answered")
    wait(server, f"submitted > {server.state()['submitted']}")
    for connection in half + [deaf]:
        connection.close()


def hostile(page):
    expect(page.js("document.querySelectorAll('img, script').length") == 1, "a name became markup")
    expect(page.js("document.getElementById('jobs').textContent.includes('<img src=x onerror=alert(1)>')"),
           "the name is not there as it is")
    expect(not page.js("/[\\u0000-\\u0008\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)"),
           "a character that turns the direction, or controls, is there as it is")


def readable(page):
    """What does not fit, or is nothing to a screen reader.  The page changes while it is looked at: a fault stays."""
    import reader
    until = time.monotonic() + 30
    while True:
        faults = reader.fits(page) + reader.accessible(page)
        if not faults or time.monotonic() > until:
            return faults
        time.sleep(0.5)


def browse(server, release, *flags):
    """The page in a browser, to the run's end; that lets the run come to it by the command RELEASE, when it has seen all."""
    from browser import Browser
    with Browser() as browser:
        page = browser.open(server.url)
        page.wait("document.body.dataset.phase === 'running'")
        lead = page.js("document.getElementById('lead').textContent")
        page.wait("document.getElementById('jobs').tBodies[0].rows.length > 0", "a job started")
        page.wait(f"document.getElementById('lead').textContent !== {json.dumps(lead)}", "values move")
        for chart in ("busy", "queue", "cpu"):
            page.wait(f"(document.querySelector('#{chart} .canvas .c').getAttribute('d') || '').length > 10",
                      f"a curve of {chart}")
        for width, dark in ((1280, False), (400, True)):
            page.look(width, 900, dark)
            faults = readable(page)
            expect(not faults, f"at {width} pixels, and for a screen reader: {faults}")
            if os.environ.get("WT_SCREENSHOTS"):
                page.screenshot(f"{os.environ['WT_SCREENSHOTS']}/live-{width}.png", captureBeyondViewport=True)
        if "hostile" in flags:
            page.wait("document.getElementById('jobs').textContent.includes('onerror')", "the job with the name")
            hostile(page)
        subprocess.run(["sh", "-c", release], check=True)
        page.wait("document.body.dataset.phase === 'ended'", "the end")
        expect(not page.js("document.getElementById('ended').hidden"), "nothing says that it has ended")
        how = page.js("document.getElementById('how').textContent")
        expect(how == "The run has ended, with exit status 0.", how)
        expect(page.js("document.getElementById('lost').hidden"), "it thinks that the connection is lost")
        folder = page.js("document.getElementById('folder').textContent")
        expect(folder.startswith("/"), "no folder")
        report = page.js("document.getElementById('report').textContent")
        expect(shlex.split(report.split("  \u2192")[0]) == ["windtunnel", "report", folder], f"for no shell: {report}")
        if os.environ.get("WT_SCREENSHOTS"):
            page.look(1280, 900, False)
            page.screenshot(f"{os.environ['WT_SCREENSHOTS']}/live-ended.png", captureBeyondViewport=True)
        expect(not page.errors, f"the console says {page.errors}")
        elsewhere = [url for url in page.requests if not url.startswith((server.url, "data:"))]
        expect(not elsewhere, f"it asked for {elsewhere}")


if __name__ == "__main__":
    CHECKS = {check.__name__: check for check in (follow, wait, rules, metrics, crowd, browse)}
    try:
        CHECKS[sys.argv[1]](Server(sys.argv[2]), *sys.argv[3:])
    except Failed as failure:
        sys.exit(f"live.py {sys.argv[1]}: {failure}")
