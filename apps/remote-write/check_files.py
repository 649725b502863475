"""check_files.py PROGRAM FOLDER: sends what a real Prometheus sent, and compares the files with it by the queries of three engines. It also
runs the queries of docs/guide.md, on counters that it sends."""

import collections
import math
import pathlib
import re
import struct
import subprocess
import sys
import time
import urllib.request

import chdb
import duckdb
from pyspark.sql import SparkSession

CORPORA = pathlib.Path(__file__).resolve().parents[2] / "vectors" / "corpora"
V1 = "application/x-protobuf"
V2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request"


def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def inflate(block):
    """A snappy block."""
    length, at = varint(block, 0)
    out = bytearray()
    while at < len(block):
        tag = block[at]
        at += 1
        kind, size = tag & 3, tag >> 2
        if kind == 0:
            if size >= 60:
                more = size - 59
                size = int.from_bytes(block[at : at + more], "little")
                at += more
            out += block[at : at + size + 1]
            at += size + 1
            continue
        if kind == 1:
            size, offset, at = (size & 7) + 4, tag >> 5 << 8 | block[at], at + 1
        else:
            wide = 2 if kind == 2 else 4
            size, offset, at = size + 1, int.from_bytes(block[at : at + wide], "little"), at + wide
        for _ in range(size):
            out.append(out[-offset])
    assert len(out) == length
    return bytes(out)


def fields(message):
    """Number and value of each field."""
    at = 0
    while at < len(message):
        tag, at = varint(message, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(message, at)
        elif wire == 1:
            value, at = message[at : at + 8], at + 8
        else:
            assert wire == 2, wire
            size, at = varint(message, at)
            value, at = message[at : at + size], at + size
        yield tag >> 3, value


def sample(message, value_field, time_field):
    found = dict(fields(message))
    value = struct.unpack("<d", found.get(value_field, bytes(8)))[0]
    return found.get(time_field, 0), value


def packed(data):
    at = 0
    while at < len(data):
        number, at = varint(data, at)
        yield number


def samples_v1(request):
    for number, series in fields(request):
        if number == 1:
            parts = list(fields(series))
            labels = dict((dict(fields(part))[1].decode(), dict(fields(part)).get(2, b"").decode()) for n, part in parts if n == 1)
            for time_ms, value in (sample(part, 1, 2) for n, part in parts if n == 2):
                yield labels, time_ms, value


def samples_v2(request):
    words = [value.decode() for number, value in fields(request) if number == 4]
    for number, series in fields(request):
        if number == 5:
            parts = list(fields(series))
            refs = [words[ref] for n, part in parts if n == 1 for ref in packed(part)]
            labels = dict(zip(refs[::2], refs[1::2], strict=True))
            for time_ms, value in (sample(part, 1, 2) for n, part in parts if n == 2):
                yield labels, time_ms, value


class Server:
    """A server. `seal_after` is the time after which it writes rows to files."""

    def __init__(self, program, data, seal_after):
        args = [program, "serve", "--listen=127.0.0.1:0", "--accept-past=99999d", "--log-json", f"--seal-after={seal_after}", f"--data={data}"]
        self.process = subprocess.Popen(args, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if '"listen":"' in line:
                self.url = "http://" + line.split('"listen":"')[1].split('"')[0]
                return
        sys.exit("check_files.py: the server ended")

    def send(self, body, content_type):
        headers = {"Content-Type": content_type, "Content-Encoding": "snappy"}
        request = urllib.request.Request(f"{self.url}/api/v1/write", body, headers)
        with urllib.request.urlopen(request) as answer:
            assert answer.status == 204, answer.status

    def wait_for_files(self, seals=1):
        deadline = time.monotonic() + 60
        while True:
            with urllib.request.urlopen(f"{self.url}/metrics") as answer:
                if f"hotpb_rw_seals_total {seals}\n" in answer.read().decode():
                    return
            assert time.monotonic() < deadline, "rows stay in memory"
            time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        assert self.process.wait(30) == 0


def expected(rows):
    """For each metric and instance: samples, those that are numbers, their sum, and the last time."""
    groups = collections.defaultdict(list)
    for (labels, time_ms), value in rows.items():
        labels = dict(labels)
        groups[labels["__name__"], labels.get("instance", "")].append((time_ms, value))
    result = {}
    for group, found in groups.items():
        numbers = [value for _, value in found if not math.isnan(value)]
        result[group] = (len(found), len(numbers), math.fsum(numbers), max(time_ms for time_ms, _ in found))
    return result


def check(engine, rows, want):
    got = {(name, instance): values for name, instance, *values in rows}
    assert got.keys() == want.keys(), f"{engine}: {len(got)} groups, not {len(want)}: {set(got) ^ set(want)}"
    for group, (count, numbers, total, last) in want.items():
        found = got[group]
        exact = (int(found[0]), int(found[1]), int(found[3])) == (count, numbers, last)
        assert exact and math.isclose(float(found[2] or 0), total, rel_tol=1e-9), f"{engine}: {group}: {found}, not {want[group]}"
    print(f"{engine}: {len(got)} groups of {sum(value[0] for value in want.values())} samples, all as sent")


def number(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def part(field, content):
    return number(field << 3 | 2) + number(len(content)) + content


def request(series):
    """A body of remote write 1.0: labels, and pairs of time and value. The block of snappy has no copies."""
    message = b""
    for labels, points in series:
        texts = sorted((name.encode(), value.encode()) for name, value in labels.items())
        encoded = b"".join(part(1, part(1, name) + part(2, value)) for name, value in texts)
        encoded += b"".join(part(2, b"\x09" + struct.pack("<d", value) + b"\x10" + number(at)) for at, value in points)
        message += part(1, encoded)
    literal = bytes([63 << 2]) + (len(message) - 1).to_bytes(4, "little")
    return number(len(message)) + literal + message


STALE = struct.unpack("<d", struct.pack("<Q", 0x7FF0000000000002))[0]


def counters(now):
    """Counters of two jobs, in two requests: with a reset, a stale marker, samples before the last five minutes, and series that have other labels."""
    metric = lambda job, instance, code: dict(__name__="prometheus_http_requests_total", job=job, instance=instance, handler="/x", code=code)
    early, late = [], []
    for job, instance, code, values in [
        ("api", "a:1", "200", [9000, 9100, 5, 10, 20.5, 3, 4, 50]),
        ("api", "a:1", "500", [0, 1, 1, 1, 2]),
        ("api", "b:1", "200", [70, 80, 100, STALE]),
        ("db", "c:1", "200", [1, 2]),
        ("idle", "d:1", "200", [7]),
    ]:
        points = [(now - 200_000 + 10_000 * at, value) for at, value in enumerate(values)]
        early.append((metric(job, instance, code), [(now - 400_000, 1.0), (now - 390_000, 5000.0), *points[:2]]))
        late.append((metric(job, instance, code), points[2:]))
    # No job, no handler: a metric of its own, whose file has no such columns.
    up = [(dict(__name__="up", instance=instance), [(now - 30_000, 0.0), (now - 20_000, 1.0), (now - 10_000, STALE)]) for instance in ("a:1", "b:1")]
    return [early, [counter for counter in late if counter[1]] + up]


def increase(points):
    steps = list(zip(points, points[1:]))
    return sum(value if value < before else value - before for (_, before), (_, value) in steps)


def documented(after, data):
    """The first block of the guide after a text, on the files in `data`."""
    text = (pathlib.Path(__file__).parent / "docs/guide.md").read_text()
    assert text.count(after) == 1, f"docs/guide.md: {text.count(after)} times {after!r}"
    lines = text.split(after)[1].splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("    "))
    block = "\n".join(lines[first : next(at for at in range(first, len(lines)) if not lines[at].startswith("    "))])
    return block.replace("remote-write-data/", f"{data}/").rstrip(";")


def check_documented(program, folder):
    """Runs the queries of the guide with both engines."""
    data = pathlib.Path(folder) / "documented"
    requests = counters(int(time.time() * 1000))
    server = Server(program, data, "1ms")
    for seals, series in enumerate(requests, 1):
        server.send(request(series), V1)
        server.wait_for_files(seals)
    server.stop()
    groups = collections.defaultdict(list)
    for labels, points in (item for series in requests for item in series if item[0]["__name__"] != "up"):
        groups[labels["job"], labels["instance"], labels["code"]] += [point for point in points if not math.isnan(point[1])]
    recent = {group: points[2:] for group, points in groups.items()}
    rates, increases = collections.defaultdict(float), collections.defaultdict(float)
    for (job, instance, _), points in groups.items():
        rates[job] += increase(recent[job, instance, _]) / 300
        increases[instance] += increase(points)
    house = lambda query: dict(re.split("\t", line)[:2] for line in str(chdb.query(query, "TSV")).splitlines())
    duck = duckdb.connect()
    view, largest = documented("DuckDB:\n", data).split(";")[:2]
    duck.execute(view)
    by_duck = lambda query: {row[0]: row[1] for row in duck.execute(query).fetchall()}
    ups = {"a:1": 1.0, "b:1": 1.0}
    for name, got, want in [
        ("DuckDB: largest values", by_duck(largest), ups),
        ("ClickHouse: largest values", house(documented("ClickHouse:\n", data)), ups),
        ("DuckDB: increase", by_duck(documented("a counter that falls was reset (DuckDB):", data)), increases),
        ("ClickHouse: rate", house(documented("**The same on ClickHouse**", data)), rates),
    ]:
        near = got.keys() == want.keys() and all(math.isclose(float(got[key]), want[key], rel_tol=1e-9) for key in want)
        assert near, f"{name}: {got}, not {dict(want)}"
        print(f"{name} of {len(want)} groups, as the guide's query promises")


def main(program, folder):
    check_documented(program, folder)
    data = pathlib.Path(folder) / "data"
    rows = {}
    server = Server(program, data, "1h")
    for version, content_type, samples in [(1, V1, samples_v1), (2, V2, samples_v2)]:
        body = (CORPORA / f"prometheus_0.315_v{version}.snappy").read_bytes()
        server.send(body, content_type)
        for labels, time_ms, value in samples(inflate(body)):
            labels = tuple(sorted((name, value) for name, value in labels.items() if value))
            rows[labels, time_ms] = value
    server.stop()
    # All rows are in the log; this server writes them to files at once.
    server = Server(program, data, "1ms")
    server.wait_for_files()
    server.stop()
    want = expected(rows)
    assert len(want) > 100, "the bodies have metrics"
    files = f"{data}/data/samples/*/*.parquet"
    query = (
        "select __name__, coalesce(instance, '') as i, count(*), sum(case when {nan}(__value__) then 0 else 1 end),"
        " sum(case when {nan}(__value__) then 0 else __value__ end), max({ms}) from {files} group by __name__, i"
    )
    duck = query.format(nan="isnan", ms="epoch_ms(__time__)", files=f"read_parquet('{files}', union_by_name = true)")
    check("DuckDB", duckdb.connect().execute(duck).fetchall(), want)
    house = query.format(nan="isNaN", ms="toUnixTimestamp64Milli(__time__)", files=f"file('{files}', Parquet)")
    text = str(chdb.query(house + " settings schema_inference_mode = 'union'", "TSV"))
    check("ClickHouse", [line.split("\t") for line in text.splitlines()], want)
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.session.timeZone": "UTC"}
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.read.option("mergeSchema", "true").parquet(files).createOrReplaceTempView("samples")
    rows = spark.sql(query.format(nan="isnan", ms="unix_millis(__time__)", files="samples")).collect()
    check("Spark", [tuple(row) for row in rows], want)
    spark.stop()


main(*sys.argv[1:])
