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
# Our other options, and what they are called in Prometheus' configuration.
PROMOTED = ["host.name", "zone", "k8s.pod", "job", "le", "missing"]
IGNORED = ["service.instance.id", "host.name"]
VARIANTS = {
    "promote": (
        STRATEGIES[0],
        [f"--otlp-promote={','.join(PROMOTED)}", "--otlp-keep-identifying", "--otlp-scope"],
        [f"promote_resource_attributes: {json.dumps(PROMOTED)}", "keep_identifying_resource_attributes: true", "promote_scope_metadata: true"],
    ),
    "promote-all": (
        STRATEGIES[0],
        ["--otlp-promote-all", f"--otlp-promote-except={','.join(IGNORED)}", "--otlp-histograms=custom"],
        ["promote_all_resource_attributes: true", f"ignore_resource_attributes: {json.dumps(IGNORED)}", "convert_histograms_to_nhcb: true"],
    ),
    "all-utf8": (
        STRATEGIES[3],
        ["--otlp-promote-all", "--otlp-keep-identifying", "--otlp-scope", "--otlp-histograms=custom"],
        ["promote_all_resource_attributes: true", "keep_identifying_resource_attributes: true", "promote_scope_metadata: true", "convert_histograms_to_nhcb: true"],
    ),
}
NAMES = ["http.server.duration", "total.requests", "requests_total", "9lives", "a:b__c..d", "größe", "io_bytes", "io.read.bytes", "x ratio"]
UNITS = ["", "1", "s", "By", "m/s", "{packet}/s", "By/{x}", "%", "Cel", "widgets", "m/widgets", "°C"]
KEYS = ["a.b", "a_b", "http.method", "0day", "_private", "__two", "größe", "__reserved__", "le", "job", "upper.Case"]


def attributes(pairs):
    return [{"key": key, "value": {"stringValue": value}} for key, value in pairs]


def point(now, value, pairs=(), **more):
    return {"timeUnixNano": str(now), "asDouble": value, "attributes": attributes(pairs), **more}


def metrics(now, custom):
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
    infinite = histogram | {"explicitBounds": [0.005, 1, "Infinity"], "bucketCounts": ["1", "2", "7", "0"], "attributes": attributes([("infinite", "1")])}
    # Prometheus refuses these two with custom buckets. Ours are in tests/serve/otlp_options.rs.
    points = [histogram] if custom else [histogram, bare, infinite]
    for at, counts in enumerate((["0", "0", "3", "7"], ["10", "0", "0", "0"], ["1", "0", "0", "9"], ["0", "0", "0", "10"])):
        points.append(histogram | {"bucketCounts": counts, "attributes": attributes([("counts", str(at))])})
    points.append(histogram | {"explicitBounds": [], "bucketCounts": ["10"], "attributes": attributes([("one", "1")])})
    points.append(histogram | {"count": "0", "bucketCounts": ["0"] * 4, "attributes": attributes([("empty", "1")])} | {"sum": 0})
    without_sum = histogram | {"attributes": attributes([("without_sum", "1")])}
    del without_sum["sum"]
    long = {"explicitBounds": list(range(1, 9)), "bucketCounts": ["4", "0", "0", "0", "0", "3", "0", "0", "3"]}
    points += [without_sum, histogram | long | {"attributes": attributes([("long", "1")])}]
    yield {"name": "latency", "unit": "s", "histogram": {"dataPoints": points, "aggregationTemporality": 2}}
    quantiles = [{"quantile": 0.5, "value": 1}, {"quantile": 0.99, "value": 3.5}, {"quantile": 1, "value": 4}]
    summary = {"timeUnixNano": str(now), "count": "4", "sum": 10, "quantileValues": quantiles}
    yield {"name": "wait.time", "unit": "ms", "summary": {"dataPoints": [summary]}}
    for scale in (-4, 0, 3, 8, 11, 20):
        exponential = {"timeUnixNano": str(now), "scale": scale, "count": "15", "sum": -2.5, "zeroCount": "2"}
        exponential |= {"positive": {"offset": -2, "bucketCounts": ["1", "0", "0", "3", "0", "0", "0", "4"]}}
        exponential |= {"negative": {"offset": 5, "bucketCounts": ["2", "3"]}, "attributes": attributes([("scale", str(scale))])}
        yield {"name": "sizes", "unit": "By", "exponentialHistogram": {"dataPoints": [exponential], "aggregationTemporality": 2}}


def request(resource, all_metrics, **scope):
    return {"resourceMetrics": [{"resource": {"attributes": attributes(resource)}, "scopeMetrics": [{"metrics": all_metrics, **scope}]}]}


RESOURCES = [
    [],
    [("service.name", "api")],
    [("service.name", "api"), ("service.namespace", "shop"), ("service.instance.id", "i-1"), ("host.name", "h1"), ("a.b", "1")],
    [("service.instance.id", "i-2"), ("host.name", "h2")],
    [("host.name", "h3")],
    [("service.name", "web"), ("k8s_pod", "last"), ("k8s.pod", "first"), ("job", "other"), ("instance", "i-9"), ("le", "7"), ("quantile", "1"), ("zone", "z"), ("empty", "")],
    [("service.instance.id", "i-3"), ("service.namespace", "alone"), ("zone", "z"), ("_private", "1"), ("0day", "2"), ("größe", "3"), ("otel_scope_name", "4")],
]
SCOPES = [
    {"scope": {"name": "lib", "version": "1.2", "attributes": attributes([("x.y", "z"), ("_private", "1"), ("0day", "2"), ("größe", "3"), ("name", "4"), ("...", "5")])}, "schemaUrl": "http://s"},
    {"scope": {"name": "lib", "attributes": attributes([("a.b", "1"), ("a_b", "2"), ("a b", "")])}},
    {"scope": {"version": "1.2", "attributes": attributes([("x", "unnamed")])}, "schemaUrl": "http://s"},
    {"schemaUrl": "http://s"},
]


def send(url, body):
    data = json.dumps(body).encode()
    query = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(query, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def main(program, prometheus_program, folder):
    for strategy in STRATEGIES:
        compare(program, prometheus_program, Path(folder) / strategy, strategy, [], [])
    for name, (strategy, options, settings) in VARIANTS.items():
        compare(program, prometheus_program, Path(folder) / name, strategy, options, settings)


def compare(program, prometheus_program, folder, strategy, options, settings):
    folder.mkdir()
    server = Server(program, folder, "--seal-after=100ms", "--log=warn", f"--otlp-names={strategy}", *options).start()
    config = "".join(f"  {line}\n" for line in [f"translation_strategy: {strategy}", *settings])
    prometheus = Prometheus(prometheus_program, folder / "prometheus", f"global: {{}}\notlp:\n{config}", "--web.enable-otlp-receiver").start()
    now = time.time_ns() // 10**9 * 10**9 - 10**10
    # Prometheus refuses a request whose target_info is older than the last one.
    later, bodies = now + 400 * 10**6, []
    for at, resource in enumerate(RESOURCES):
        some = [{"name": "of.resource", "gauge": {"dataPoints": [point(now, at, [("resource", str(at))]), point(later, at, [("resource", str(at))])]}}]
        bodies.append(request(resource, some))
        # Labels of points, of which some are those of the resource, too.
        own = [("zone", "mine"), ("host.name", ""), ("resource", str(at))]
        labelled = {"timeUnixNano": str(later), "count": "3", "sum": 4, "bucketCounts": ["1", "2"], "explicitBounds": [0.5], "attributes": attributes(own)}
        summary = {"timeUnixNano": str(later), "count": "4", "sum": 10, "quantileValues": [{"quantile": 0.5, "value": 1}], "attributes": attributes(own)}
        labelled = {"name": "of.labels", "histogram": {"dataPoints": [labelled], "aggregationTemporality": 2}}
        bodies.append(request(resource, [labelled, {"name": "of.quantiles", "summary": {"dataPoints": [summary]}}]))
    for at, scope in enumerate(SCOPES):
        of_scope = {"name": "of.scope", "gauge": {"dataPoints": [point(later, at, [("scope", str(at)), ("otel_scope_version", "mine")])]}}
        bodies.append(request(RESOURCES[2], [of_scope], **scope))
    # One metric a request: a refusal of Prometheus takes the whole request.
    custom = "convert_histograms_to_nhcb: true" in settings
    bodies += [request([], [metric]) for metric in metrics(now, custom)]
    refused = []
    for body in bodies:
        answered, theirs = send(f"{server.url}/v1/metrics", body), send(f"{prometheus.url}/api/v1/otlp/v1/metrics", body)
        assert answered == (200, "{}"), (answered, body)
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
    same = stored.keys() == histograms.keys() and all(is_same_histogram(metric, histograms[key]) for key, metric in stored.items())
    assert same, difference(stored, histograms)
    print(f"{folder.name}: {len(bodies)} requests, {len(samples)} samples and {len(histograms)} native histograms are those of Prometheus")


def difference(found, expected):
    lines = []
    for name, side, opposite in (("only here", found, expected), ("only in Prometheus", expected, found)):
        lines += [f"{name}: {dict(key[0])} @{key[1]} {value}" for key, value in side.items() if opposite.get(key) != value][:15]
    return "\n".join(lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
