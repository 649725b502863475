"""Starts the server and a Prometheus, and asks them."""

import atexit
import json
import math
import pathlib
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import duckdb


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A program that listens at a port, with its output in a file."""

    def __init__(self, command, ready, log):
        self.command, self.ready, self.log = command, ready, pathlib.Path(log)
        self.process = None

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        atexit.register(self.process.kill)  # if a check fails
        until = time.time() + 60
        while time.time() < until:
            assert self.process.poll() is None, f"{self.command[0]} ended:\n{self.log.read_text()}"
            try:
                if urllib.request.urlopen(self.ready, timeout=5).status == 200:
                    return self
            except (urllib.error.URLError, ConnectionError):
                pass
            time.sleep(0.05)
        raise AssertionError(f"{self.command[0]} is not ready:\n{self.log.read_text()}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        assert code == 0, f"{self.command[0]} ended with {code}:\n{self.log.read_text()}"


class Server(Process):
    """The server under test."""

    def __init__(self, program, folder, *options):
        self.data, self.url = pathlib.Path(folder) / "data", f"http://127.0.0.1:{free_port()}"
        listen = self.url.removeprefix("http://")
        command = [program, "serve", "--data", str(self.data), "--listen", listen, *options]
        super().__init__(command, f"{self.url}/-/ready", pathlib.Path(folder) / "server.log")

    def wait_sealed(self):
        until = time.time() + 60
        while time.time() < until:
            text = urllib.request.urlopen(f"{self.url}/metrics").read().decode()
            if "\nhotpb_rw_head_rows 0\n" in text:
                return
            time.sleep(0.05)
        raise AssertionError("rows stay in memory")

    def rows(self, kind):
        """Labels, time in milliseconds, and the other columns of all rows of a kind."""
        files = [str(path) for path in self.data.glob(f"data/{kind}/*/*.parquet")]
        if not files:
            return []
        table = duckdb.sql(f"select * from read_parquet({files!r}, union_by_name = true)")
        is_time = lambda kind: str(kind).startswith("TIMESTAMP")
        columns = [f'epoch_ms("{name}")' if is_time(kind) else f'"{name}"' for name, kind in zip(table.columns, table.types)]
        rows = []
        for values in table.project(", ".join(columns)).fetchall():
            row = dict(zip(table.columns, values))
            own = {name: value for name, value in row.items() if is_label(name) and value}
            own.update(dict(row.get("__labels__") or {}))
            rows.append((frozenset(own.items()), row["__time__"], row))
        return rows


def histogram(row):
    """Count, sum, and the buckets that are not empty: lower and upper bound, count, from the lowest to the highest."""
    schema = row["__schema__"]
    bounds = [-math.inf, *(row["__custom_values__"] or []), math.inf]
    # Custom buckets are numbered from 0, and their bounds are in a list.
    bound = (lambda index: bounds[index + 1]) if schema == -53 else lambda index: 2 ** (index / 2**schema)

    def side(name):
        index, counts, buckets = 0, iter(row[f"__{name}_counts__"] or []), []
        for offset, length in zip(row[f"__{name}_offsets__"] or [], row[f"__{name}_lengths__"] or []):
            index += offset
            for at in range(index, index + length):
                count = next(counts)
                if count:
                    buckets.append((bound(at - 1), bound(at), count))
            index += length
        return buckets

    either = lambda name: row.get(f"__{name}__") or row.get(f"__{name}_float__") or 0
    zero, width = either("zero_count"), row["__zero_threshold__"]
    negative = [(-upper, -lower, count) for lower, upper, count in reversed(side("negative"))]
    return float(either("count")), row["__sum__"], negative + [(-width, width, zero)] * bool(zero) + side("positive")


def is_same_histogram(a, b):
    near = lambda pair: math.isclose(*pair, rel_tol=1e-9)
    flat = lambda histogram: [number for bucket in histogram[2] for number in bucket]
    return a[0] == b[0] and (a[1] == b[1] or a[1] != a[1] and b[1] != b[1]) and len(a[2]) == len(b[2]) and all(map(near, zip(flat(a), flat(b))))


def is_label(name):
    parts = "time value start labels exemplar schema reset_hint sum count count_float zero_threshold zero_count zero_count_float custom_values"
    sides = [f"{side}_{part}" for side in ("negative", "positive") for part in ("offsets", "lengths", "counts")]
    return name not in {f"__{part}__" for part in parts.split() + sides}


class Prometheus(Process):
    """A real one."""

    def __init__(self, program, folder, config, *options):
        self.folder, self.url = pathlib.Path(folder), f"http://127.0.0.1:{free_port()}"
        self.folder.mkdir()
        self.listen = self.url.removeprefix("http://")
        self.config = self.folder / "prometheus.yml"
        self.config.write_text(config.replace("SELF", self.listen))
        command = [program, f"--config.file={self.config}", f"--web.listen-address={self.listen}"]
        command += [f"--storage.tsdb.path={self.folder / 'tsdb'}", "--log.format=json", *options]
        super().__init__(command, f"{self.url}/-/ready", self.folder / "log")

    def ask(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"{self.url}{path}?{query}", timeout=60) as answer:
            said = json.load(answer)
        assert said["status"] == "success", said
        return said["data"]

    def rows(self, selector, duration="1d"):
        """All samples and histograms that it holds, without stale markers: labels and time to value."""
        samples, histograms = {}, {}
        for series in self.ask("/api/v1/query", query=f"{selector}[{duration}]")["result"]:
            labels = frozenset(series["metric"].items())
            for at, value in series.get("values", []):
                samples[labels, round(at * 1000)] = float(value)
            for at, value in series.get("histograms", []):
                buckets = [tuple(map(float, bucket[1:])) for bucket in value.get("buckets", [])]
                histograms[labels, round(at * 1000)] = (float(value["count"]), float(value["sum"]), buckets)
        return samples, histograms

    def metrics(self):
        """Its own counters: name and labels as text, to value."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=60) as answer:
            text = answer.read().decode()
        lines = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        return {name: float(value) for name, value in lines}

    def said(self, *levels):
        lines = (json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{"))
        return [line for line in lines if line.get("level", "").upper() in levels]
