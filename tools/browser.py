"""Headless Chromium by chromedriver's WebDriver protocol (tools/setup browser brings both)."""
import base64
import json
import socket
import subprocess
import sys
import time
import urllib.request

WAIT = 30  # seconds for anything to come about


class Browser:
    """A session of chromedriver, which has a port of its own."""

    def __init__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.root = f"http://127.0.0.1:{probe.getsockname()[1]}"
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.root.rsplit(':', 1)[1]}"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = ""
        until(lambda: self.call("GET", "/status")["ready"], "chromedriver is ready")
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                            "--window-size=1280,1500", "--hide-scrollbars"]}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = "/session/" + answer["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + self.session + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=WAIT) as answer:
            return json.load(answer)["value"]

    def js(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def text(self, selector):
        return self.js(f"return document.querySelector({json.dumps(selector)}).innerText")

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def errors(self):
        """What the console has of errors since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def devtools(self, command, **parameters):
        self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def shoot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self):
        try:
            if self.session:
                self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()


def until(condition, subject):
    """Waits until a condition is true, and returns what it returned."""
    last = None
    for _ in range(WAIT * 10):
        try:
            last = condition()
            if last:
                return last
        except (OSError, KeyError) as error:
            last = error
        time.sleep(0.1)
    sys.exit(f"not within {WAIT} s: {subject} (last: {last})")
