"""check_prometheus.py PROGRAM PROMETHEUS FOLDER: a real Prometheus scrapes itself, and sends by remote write 1.0 and 2.0 at
once, for a minute. The server is killed twice meanwhile. Then the files have every sample that Prometheus holds, once, and the
log of Prometheus has no error and no warning but those of the two gaps."""

import os
import re
import struct
import sys
import time
import urllib.request
from pathlib import Path

from processes import Prometheus, Server, histogram, is_same_histogram

SECONDS = float(os.environ.get("REMOTE_WRITE_SOAK_SECONDS", "60"))
STALE = 0x7FF0000000000002
CONFIG = """
global:
  scrape_interval: 1s
  scrape_native_histograms: true
scrape_configs:
  - job_name: prometheus
    static_configs:
      - targets: [SELF]
"""
# A label says by which version a row came.
REMOTE = """
  - name: {name}
    url: {url}/api/v1/write
    protobuf_message: {message}
    send_exemplars: true
    send_native_histograms: true
    write_relabel_configs:
      - target_label: sent
        replacement: {name}
    queue_config:
      batch_send_deadline: 300ms
      max_backoff: 500ms
    metadata_config:
      send: {metadata}
"""
MESSAGES = {"rw1": "prometheus.WriteRequest", "rw2": "io.prometheus.write.v2.Request"}
# What a sender says while nobody listens; anything else is a fault.
GAP = re.compile(r"connection refused|connection reset|EOF|broken pipe")


def bits(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def is_stale_marker(value):
    return bits(value) == STALE


def is_same(a, b):
    return bits(a) == bits(b) or a != a and b != b


def wait_sent(prometheus):
    """Waits until nothing is left to send, and returns the counters."""
    until, before = time.time() + 90, None
    while time.time() < until:
        metrics = prometheus.metrics()
        sent = {name: value for name, value in metrics.items() if name.startswith("prometheus_remote_storage_")}
        pending = sum(value for name, value in sent.items() if "_pending{" in name)
        totals = {name: value for name, value in sent.items() if "_total{" in name}
        if pending == 0 and totals == before:
            return sent
        before = totals
        time.sleep(2)
    raise AssertionError(f"Prometheus does not send all it has: {sent}")


def counter(counters, subject, name):
    found = [value for key, value in counters.items() if key.startswith(f"prometheus_remote_storage_{subject}{{") and f'remote_name="{name}"' in key]
    assert len(found) == 1, (subject, name, found)
    return found[0]


def main(program, prometheus_program, folder):
    folder = Path(folder) / "soak"
    folder.mkdir()
    server = Server(program, folder, "--seal-after=2s", "--log=warn").start()
    remotes = "".join(REMOTE.format(name=name, url=server.url, message=message, metadata="true" if name == "rw1" else "false") for name, message in MESSAGES.items())
    prometheus = Prometheus(
        prometheus_program,
        folder / "prometheus",
        f"{CONFIG}remote_write:{remotes}",
        "--web.enable-lifecycle",
        "--enable-feature=metadata-wal-records",
    ).start()
    for _ in range(2):
        time.sleep(SECONDS / 3)
        server.kill()
        time.sleep(3)  # so that requests come to nobody, and are sent again
        server.start()
    time.sleep(SECONDS / 3)
    # Without anything to scrape, it comes to an end.
    prometheus.config.write_text(prometheus.config.read_text().replace(f"targets: [{prometheus.listen}]", "targets: []"))
    urllib.request.urlopen(urllib.request.Request(f"{prometheus.url}/-/reload", method="POST")).close()
    counters = wait_sent(prometheus)
    samples, histograms = prometheus.rows('{job="prometheus"}')
    complaints = prometheus.said("WARN", "ERROR")
    prometheus.stop()
    server.wait_sealed()
    time.sleep(1)  # files that were merged into others go
    server.stop()

    faults = [line for line in complaints if not GAP.search(str(line.get("err", "")))]
    assert not faults, "Prometheus complains:\n" + "\n".join(map(str, faults[:20]))
    assert len(samples) > 1000 and len(histograms) > 10, (len(samples), len(histograms))
    for name in MESSAGES:
        mark, total, stale = ("sent", name), 0, 0
        for kind, expected, value, is_stale, is_equal in (
            ("samples", samples, lambda row: row["__value__"], is_stale_marker, is_same),
            ("histograms", histograms, histogram, lambda sample: is_stale_marker(sample[1]), is_same_histogram),
        ):
            found = {}
            for labels, at, row in server.rows(kind):
                if mark not in labels:
                    continue
                key = (labels - {mark}, at)
                assert key not in found, f"{name}: twice in the files: {key}"
                found[key] = value(row)
            total += len(found)
            stale += sum(map(is_stale, found.values()))
            found = {key: sample for key, sample in found.items() if not is_stale(sample)}
            assert found.keys() == expected.keys(), difference(name, found, expected)
            different = [(key, sample, expected[key]) for key, sample in found.items() if not is_equal(sample, expected[key])]
            assert not different, f"{name}: {len(different)} {kind} have another value: {different[:3]}"
            print(f"{name}: {len(found)} {kind} in the files are those of Prometheus, each once")
        sent = sum(
            counter(counters, f"{kind}_total", name) - counter(counters, f"{kind}_retried_total", name) - counter(counters, f"{kind}_failed_total", name)
            for kind in ("samples", "histograms")
        )
        assert counter(counters, "samples_failed_total", name) == counter(counters, "histograms_failed_total", name) == 0
        assert sent == total, f"{name}: Prometheus counts {sent} rows sent, the files have {total}"
        retried = counter(counters, "samples_retried_total", name)
        assert retried > 0, f"{name}: no request was sent again, so the kills tested nothing"
        print(f"{name}: Prometheus sent {sent:.0f} rows, {retried:.0f} of them more than once; {stale} are stale markers")
    print(f"the {len(complaints)} warnings of Prometheus are about the two times when the server was killed")


def difference(name, found, expected):
    missing, more = expected.keys() - found.keys(), found.keys() - expected.keys()
    return f"{name}: {len(missing)} rows are missing, {len(more)} are too many: {list(missing)[:3]} {list(more)[:3]}"


if __name__ == "__main__":
    main(*sys.argv[1:])
