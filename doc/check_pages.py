"""Look at every page of the built site in a browser: `python doc/check_pages.py SITE`.

Each page is opened at the width of a phone and of a desktop, light and dark. The check finds errors
in the console, pages that scroll sideways on a phone, pictures that are not loaded, text whose
contrast is below level AA of the Web Content Accessibility Guidelines, and names that are broken
inside a word. It drives Chromium through its debugging pipe and needs nothing else.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = {"phone": 400, "desktop": 1280}
SCHEMES = ("light", "dark")
N_TABS = 4
# Longest wait for an answer of the browser, in seconds.
PATIENCE = 60
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-sync",
    "--remote-debugging-pipe",
)
# Puts the ends of the pipes where the browser expects them, and becomes the browser.
START = (
    "import os, sys; ours = map(int, sys.argv[1:3]); os.dup2(next(ours), 3); "
    "os.dup2(next(ours), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
SCRIPT = Path(__file__).with_name("check_pages.js")


class _Quiet(SimpleHTTPRequestHandler):
    """Serve files without a log."""

    def log_message(self, *args):
        """Write nothing."""


class Browser:
    """A browser that answers commands of the Chrome DevTools Protocol.

    Commands and answers are lines of JSON that end in a null byte, on the file descriptors 3 and 4
    of the browser.
    """

    def __init__(self, program, profile):
        self._read, theirs_out = os.pipe()
        theirs_in, self._write = os.pipe()
        # Numbers above those that the browser expects, so that none is overwritten.
        passed = [fcntl.fcntl(one, fcntl.F_DUPFD, 10) for one in (theirs_in, theirs_out)]
        arguments = [program, *FLAGS, f"--user-data-dir={profile}"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, *map(str, passed), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=passed,
        )
        for one in (theirs_in, theirs_out, *passed):
            os.close(one)
        self._lock = threading.Lock()
        self._answers, self._waiting, self._number = {}, {}, 0
        self.listeners = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def call(self, method, session=None, **params):
        """Send a command and return its result."""
        arrived = threading.Event()
        with self._lock:
            self._number += 1
            number = self._number
            self._waiting[number] = arrived
            message = {"id": number, "method": method, "params": params}
            if session:
                message["sessionId"] = session
            os.write(self._write, json.dumps(message).encode() + b"\0")
        if not arrived.wait(PATIENCE):
            raise TimeoutError(f"The browser did not answer {method} within {PATIENCE} seconds.")
        answer = self._answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def close(self):
        """End the browser."""
        self.call("Browser.close")
        self.process.wait(PATIENCE)
        os.close(self._write)

    def _listen(self):
        with os.fdopen(self._read, "rb") as stream:
            rest = b""
            while chunk := stream.read1(1 << 16):
                *messages, rest = (rest + chunk).split(b"\0")
                for message in map(json.loads, messages):
                    if "id" in message:
                        self._answers[message["id"]] = message
                        self._waiting.pop(message["id"]).set()
                    elif message.get("sessionId") in self.listeners:
                        self.listeners[message["sessionId"]](message)


class Tab:
    """A tab of the browser, which opens one page after the other."""

    def __init__(self, browser):
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        self.call = partial(browser.call, session=attached["sessionId"])
        self.loaded, self.errors = threading.Event(), []
        browser.listeners[attached["sessionId"]] = self._hear
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def _hear(self, message):
        method, params = message["method"], message["params"]
        if method == "Page.loadEventFired":
            self.loaded.set()
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            thrown = details.get("exception", details)
            self.errors.append(thrown.get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            words = (str(one.get("value", one.get("description"))) for one in params["args"])
            self.errors.append(" ".join(words))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            entry = params["entry"]
            self.errors.append(f"{entry['text']} {entry.get('url', '')}".strip())

    def look(self, url):
        """Return what is wrong with a page, one line each."""
        self.loaded.clear()
        self.errors.clear()
        self._show(*next(iter(WIDTHS.items())), SCHEMES[0])
        self.call("Page.navigate", url=url)
        if not self.loaded.wait(PATIENCE):
            raise TimeoutError(f"{url} did not load within {PATIENCE} seconds.")
        found = {}
        for name, width in WIDTHS.items():
            for scheme in SCHEMES:
                self._show(name, width, scheme)
                for fault in self._evaluate(scheme):
                    found.setdefault(fault, []).append(f"{name}, {scheme}")
        faults = [f"console: {text}" for text in dict.fromkeys(self.errors)]
        n_views = len(WIDTHS) * len(SCHEMES)
        return faults + [
            text if len(where) == n_views else f"{text} ({'; '.join(where)})"
            for text, where in found.items()
        ]

    def _show(self, name, width, scheme):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": name == "phone"}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.call("Emulation.setEmulatedMedia", features=[feature, still])

    def _evaluate(self, scheme):
        code = f"({SCRIPT.read_text(encoding='utf-8')})({scheme!r})"
        answer = self.call(
            "Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"]["value"]


def faults_of_pages(site, program):
    """Return {page: list of what is wrong with it} for the pages of a folder with faults."""
    site = Path(site).resolve()
    pages = sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)
    names = iter([path.relative_to(site).as_posix() for path in pages])
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    faults, failures, lock = {}, [], threading.Lock()

    def work(browser):
        try:
            tab = Tab(browser)
            while True:
                with lock:
                    name = next(names, None)
                if name is None:
                    return
                faults[name] = tab.look(f"http://127.0.0.1:{server.server_port}/{name}")
        except Exception as error:
            failures.append(error)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        threads = [threading.Thread(target=work, args=(browser,)) for _ in range(N_TABS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        browser.close()
    server.shutdown()
    server.server_close()
    if failures:
        raise failures[0]
    print(f"{len(faults)} pages looked at", file=sys.stderr)
    return {name: faults[name] for name in sorted(faults) if faults[name]}


def main(site):
    """Print the faults of a site and return the exit code."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print("No Chromium is installed: the pages have not been looked at in a browser.")
        return 0
    faults = faults_of_pages(site, program)
    for name, found in faults.items():
        print(*(f"{name}: {text}" for text in found), sep="\n")
    print(f"{len(faults)} pages with faults")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
