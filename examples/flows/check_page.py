"""Looks at the collector's page with headless Chromium.

usage: check_page.py URL PREFIX PID     screenshots go to PREFIX-….png; the collector PID is ended
"""
import os
import re
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from browser import Browser, until  # noqa: E402


def rows_of(browser, table):
    """The texts of a table's cells, rows without any left out."""
    rows = browser.js(f"return [...document.querySelectorAll('#{table} tbody tr')].map(r => [...r.cells].map(c => c.innerText.trim()))")
    return [row for row in rows if any(row)]


def number(text):
    """1.23 M/s -> 1230000.0"""
    found = re.match(r"([\d.]+)\s*([kMGTPE]?)", text.replace("\u202f", "").replace("\u00a0", " "))
    return float(found[1]) * 1000 ** " kMGTPE".index(found[2] or " ") if found else 0.0


def main():
    url, prefix, collector = sys.argv[1:]
    checks = 0
    browser = Browser()

    def check(good, what):
        nonlocal checks
        checks += 1
        if not good:
            browser.shoot(prefix + "-failed.png")
            sys.exit(f"check_page.py: {what}\n0 passed, 1 failed")

    try:
        browser.open(url)
        until(lambda: number(browser.text("#flows")) > 1000 and number(browser.text("#traffic")) > 0, "rates are shown")
        until(lambda: len(rows_of(browser, "exporters")) == 8, "the eight exporters are shown")
        exporters = rows_of(browser, "exporters")
        check({row[1] for row in exporters} == {"netflow5", "netflow9", "ipfix", "sflow5"}, f"protocols of exporters: {exporters}")
        check(all(row[0].startswith("127.1.0.") and number(row[3]) > 0 for row in exporters), f"exporters: {exporters}")
        for table in ("sources", "destinations"):
            talkers = rows_of(browser, table)
            shares = [number(row[3]) for row in talkers]
            check(len(talkers) == 10 and all(re.search(r"[.:]", row[0]) and row[1].endswith("B") for row in talkers), f"{table}: {talkers}")
            check(shares == sorted(shares, reverse=True) and 0 < shares[0] <= 100, f"shares of {table}: {shares}")
        check(browser.text("#status") == "working", "status: " + browser.text("#status"))
        check(re.search(r"[\d.]+\s%", browser.text("#sampled")), "how much is sampled: " + browser.text("#sampled"))
        # What is shown is what /api/live has, and moves.
        before = number(browser.text("#flows-sub"))
        until(lambda: number(browser.text("#flows-sub")) > before, "the page follows")
        # Nothing jumps: the tables stay where they are.
        places = "return [...document.querySelectorAll('table, article')].slice(0, 7).map(e => e.getBoundingClientRect().top).join()"
        first = browser.js(places)
        time.sleep(3)
        check(browser.js(places) == first, "the page has jumped")
        errors = [error for error in browser.errors() if "favicon" not in error]
        check(not errors, f"the browser's console: {errors}")
        for scheme in ("light", "dark"):
            browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            browser.shoot(f"{prefix}-{scheme}.png")
        browser.devtools("Emulation.setDeviceMetricsOverride", width=390, height=1900, deviceScaleFactor=1, mobile=True)
        time.sleep(1)
        check(browser.js("return document.documentElement.scrollWidth") <= 390, "a narrow page scrolls sideways")
        browser.shoot(f"{prefix}-narrow.png")
        os.kill(int(collector), signal.SIGTERM)
        until(lambda: browser.text("#status").startswith("no answer"), "the page tells that the collector is gone")
        checks += 1
        print(f"{checks} passed, 0 failed")
    finally:
        browser.close()


main()
