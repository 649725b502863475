"""Looks at the collector's page with headless Chromium.

usage: check_page.py URL PREFIX PID ADDRESS     screenshots go to PREFIX-….png; the collector PID, which listens on ADDRESS, is ended
"""
import os
import re
import signal
import socket
import struct
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


def choose(browser, name, value):
    browser.js(f"const list = document.getElementById('trend-{name}'); list.value = '{value}'; list.dispatchEvent(new Event('change'))")


def painted(browser):
    """How many colours the chart has, beside those of its frame."""
    return browser.js("""
        const canvas = document.querySelector('#trend-chart canvas');
        if (!canvas) return 0;
        const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        const wanted = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(i => getComputedStyle(document.documentElement).getPropertyValue(`--s${i}`).trim());
        const count = {};
        for (let i = 0; i < data.length; i += 4) {
          const hex = '#' + [0, 1, 2].map(k => data[i + k].toString(16).padStart(2, '0')).join('');
          count[hex] = (count[hex] || 0) + 1;
        }
        return wanted.filter(w => count[w] > 20).length""")


def check_trend(browser, check):
    """Traffic over time: by each column, in each unit; the table has what the chart shows."""
    until(lambda: len(rows_of(browser, "trend-values")) >= 8, "the exporters' traffic over time is shown")
    until(lambda: painted(browser) >= 2, "the chart has a colour for each of the large exporters")
    columns = browser.js("return [...document.querySelectorAll('#trend-column option')].map(o => o.value)")
    check("proto" in columns and "src_port" in columns and "bytes" not in columns and "time_received" not in columns, f"columns: {columns}")
    choose(browser, "column", "proto")
    until(lambda: any(row[0] == "TCP (6)" for row in rows_of(browser, "trend-values")), "protocols are shown by name")
    protocols = rows_of(browser, "trend-values")
    shares = [number(row[3]) for row in protocols]
    check(all(row[1].endswith("bit/s") for row in protocols) and 99 < sum(shares) < 101, f"traffic by protocol: {protocols}")
    check(shares == sorted(shares, reverse=True) and painted(browser) >= 2, f"the largest is first: {protocols}")
    choose(browser, "measure", "flows")
    until(lambda: all(row[1].endswith("/s") and "bit" not in row[1] for row in rows_of(browser, "trend-values")), "flows per second are shown")
    flows = sum(number(row[2]) for row in rows_of(browser, "trend-values"))
    check(1000 < flows < 3000, f"{flows} flows per second on average, where 2000 are sent: {rows_of(browser, 'trend-values')}")
    for span in (360, 60):
        choose(browser, "span", span)
        check(painted(browser) >= 1, f"the chart of {span} steps is empty")


def check_bursts(browser, check, collected):
    """An exporter that sends every four seconds has a rate all the time."""
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.bind(("127.0.9.9", 0))
    record = bytes.fromhex("c0000201c000020200000000000100020000000a0000100000000000000003e8a1b2005000000600000000000000" + "0000")
    rates = []
    for second in range(14):
        if second % 4 == 0:
            sender.sendto(struct.pack(">HHIIIIBBH", 5, 30, 100000, int(time.time()), 0, 30 * second // 4, 0, 0, 0) + 30 * record, collected)
        time.sleep(1)
        rates += [number(row[2]) for row in rows_of(browser, "exporters") if row[0] == "127.0.9.9"]
    check(len(rates) > 10 and all(rate > 0 for rate in rates[1:]) and all(3 <= rate <= 20 for rate in rates[-5:]), f"rates of an exporter that sends 30 flows every four seconds: {rates}")


def main():
    url, prefix, collector, listen = sys.argv[1:]
    collected = (listen.rsplit(":", 1)[0], int(listen.rsplit(":", 1)[1]))
    checks = 0
    browser = Browser()

    def check(good, problem):
        nonlocal checks
        checks += 1
        if not good:
            browser.shoot(prefix + "-failed.png")
            sys.exit(f"check_page.py: {problem}\n0 passed, 1 failed")

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
        check_trend(browser, check)
        check_bursts(browser, check, collected)
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
