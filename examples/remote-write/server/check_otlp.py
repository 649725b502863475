"""check_otlp.py PROGRAM PROMETHEUS FOLDER: the same requests of OTLP go to the server and to Prometheus' own receiver. Series,
times and values must be the same, but for the differences that are listed here, each with its reason."""

import json
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from processes import Prometheus, Server, histogram, is_same_histogram

STRATEGIES = [
    "UnderscoreEscapingWithSuffixes",
    "UnderscoreEscapingWithoutSuffixes",
    "NoUTF8EscapingWithSuffixes",
    "NoTranslation",
]
NAMES = ["http.server.duration", "total.requests", "requests_total", "9lives", "a:b__c..d", "größe", "io_bytes", "io.read.bytes", "x ratio"]
UNITS = ["", "1", "s", "By", "m/s", "{packet}/s", "By/{x}", "%", "Cel", "widgets", "m/widgets", "°C"]
KEYS = ["a.b", "a_b", "http.method", "0day", "_private", "__two", "größe", "__reserved__", "le", "job", "upper.Case"]


def attributes(pairs):
    return [{"key": key, "value": {"stringValue": value}} for key, value in pairs]


def point(now, value, pairs=(), **more):
    return {"timeUnixNano": str(now), "asDouble": value, "attributes": attributes(pairs), **more}


def metrics(now):
    """Every kind, and every name with every unit."""
    start = str(now - 60 * 10**9)
    number = 0
    for name in NAMES:
        for unit in UNITS:
            number += 1
            # Names that become the same have other labels.
            points = [point(now, number, [("n", str(number))])]
            yield {"name": name, "unit": unit, "gauge": {"dataPoints": points}}
            yield {"name": name, "unit": unit, "sum": {"dataPoints": points, "aggregationTemporality": 2, "isMonotonic": True}}
            yield {"name": name, "unit": unit, "sum": {"dataPoints": points, "aggregationTemporality": 2}}
    for key in KEYS:
        yield {"name": "labelled", "gauge": {"dataPoints": [point(now, 1, [(key, "x")])]}}
    yield {"name": "collides", "gauge": {"dataPoints": [point(now, 1, [("a_b", "second"), ("a.b", "first")])]}}
    values = {
        "bool": {"boolValue": True},
        "int": {"intValue": "-42"},
        "double": {"doubleValue": 1e21},
        "small": {"doubleValue": 1e-7},
        "bytes": {"bytesValue": "/wA="},
        "list": {"arrayValue": {"values": [{"intValue": 1}, {"stringValue": 'a"b\n'}, {"doubleValue": 0.5}]}},
        "map": {"kvlistValue": {"values": [{"key": "k", "value": {"boolValue": False}}]}},
        "empty": {"stringValue": ""},
    }
    kinds = [{"key": key, "value": value} for key, value in values.items()]
    yield {"name": "typed", "gauge": {"dataPoints": [{"timeUnixNano": str(now), "asInt": "7", "attributes": kinds}]}}
    histogram = {"timeUnixNano": str(now), "startTimeUnixNano": start, "count": "10", "sum": 4.25}
    histogram |= {"bucketCounts": ["1", "2", "0", "7"], "explicitBounds": [0.005, 1, 2500000]}
    bare = {"timeUnixNano": str(now), "count": "3", "attributes": attributes([("bare", "1")])}
    yield {"name": "latency", "unit": "s", "histogram": {"dataPoints": [histogram, bare], "aggregationTemporality": 2}}
    quantiles = [{"quantile": 0.5, "value": 1}, {"quantile": 0.99, "value": 3.5}, {"quantile": 1, "value": 4}]
    summary = {"timeUnixNano": str(now), "count": "4", "sum": 10, "quantileValues": quantiles}
    yield {"name": "wait.time", "unit": "ms", "summary": {"dataPoints": [summary]}}
    for scale in (-4, 0, 3, 8, 11, 20):
        one = {"timeUnixNano": str(now), "scale": scale, "count": "15", "sum": -2.5, "zeroCount": "2"}
        one |= {"positive": {"offset": -2, "bucketCounts": ["1", "0", "0", "3", "0", "0", "0", "4"]}}
        one |= {"negative": {"offset": 5, "bucketCounts": ["2", "3"]}, "attributes": attributes([("scale", str(scale))])}
        yield {"name": "sizes", "unit": "By", "exponentialHistogram": {"dataPoints": [one], "aggregationTemporality": 2}}


def request(resource, all_metrics):
    return {"resourceMetrics": [{"resource": {"attributes": attributes(resource)}, "scopeMetrics": [{"metrics": all_metrics}]}]}


RESOURCES = [
    [],
    [("service.name", "api")],
    [("service.name", "api"), ("service.namespace", "shop"), ("service.instance.id", "i-1"), ("host.name", "h1"), ("a.b", "1")],
    [("service.instance.id", "i-2"), ("host.name", "h2")],
    [("host.name", "h3")],
]


def send(url, body):
    data = json.dumps(body).encode()
    asked = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def main(program, prometheus_program, folder):
    for strategy in STRATEGIES:
        compare(program, prometheus_program, Path(folder) / strategy, strategy)


def compare(program, prometheus_program, folder, strategy):
    folder.mkdir()
    server = Server(program, folder, "--seal-after=100ms", "--log=warn", f"--otlp-names={strategy}").start()
    config = f"global: {{}}\notlp:\n  translation_strategy: {strategy}\n"
    prometheus = Prometheus(prometheus_program, folder / "prometheus", config, "--web.enable-otlp-receiver").start()
    now = time.time_ns() // 10**9 * 10**9 - 10**10
    bodies = []
    for at, resource in enumerate(RESOURCES):
        some = [{"name": "of.resource", "gauge": {"dataPoints": [point(now, at, [("resource", str(at))]), point(now + 400 * 10**6, at, [("resource", str(at))])]}}]
        bodies.append(request(resource, some))
    # One metric a request: a refusal of Prometheus takes the whole request.
    bodies += [request([], [one]) for one in metrics(now)]
    refused = []
    for body in bodies:
        ours, theirs = send(f"{server.url}/v1/metrics", body), send(f"{prometheus.url}/api/v1/otlp/v1/metrics", body)
        assert ours == (200, "{}"), (ours, body)
        if theirs[0] != 200:
            refused.append((theirs, json.dumps(body)))
    samples, histograms = prometheus.rows('{__name__!=""}')
    prometheus.stop()
    server.wait_sealed()
    server.stop()
    assert not refused, refused[:3]
    stored = {(labels, at): row["__value__"] for labels, at, row in server.rows("samples")}
    assert stored == samples, difference(stored, samples)
    stored = {(labels, at): histogram(row) for labels, at, row in server.rows("histograms")}
    same = stored.keys() == histograms.keys() and all(is_same_histogram(one, histograms[key]) for key, one in stored.items())
    assert same, difference(stored, histograms)
    print(f"{strategy}: {len(bodies)} requests, {len(samples)} samples and {len(histograms)} native histograms are those of Prometheus")


def difference(found, expected):
    lines = []
    for name, one, other in (("only here", found, expected), ("only in Prometheus", expected, found)):
        lines += [f"{name}: {dict(key[0])} @{key[1]} {value}" for key, value in one.items() if other.get(key) != value][:15]
    return "\n".join(lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
