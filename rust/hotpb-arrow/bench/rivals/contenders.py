#!/usr/bin/env python3
"""The contenders of other libraries in the tasks `arrow-…`. bench/run starts it, as it does the programs of the other languages.

Each contender gets more than ours: the rows are messages that somebody has cut out of the request already, and the schema
(rows.proto) has the columns that are wanted and no other. ptars and protarrow return a record batch. ClickHouse reads the
messages, each with its length before it, from a file in memory into its own columns, in one thread, and drops them: no Arrow
comes of it.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
ROWS = {"arrow-rw1": "TimeSeries", "arrow-logs": "LogRecord"}
RIVALS = ["ptars", "protarrow", "clickhouse"]
COLUMNS = {
    "TimeSeries": "labels Array(Tuple(name String, value String)), samples Array(Tuple(value Float64, timestamp Int64))",
    "LogRecord": "time_unix_nano UInt64, severity_number Int32, severity_text String, body Tuple(string_value String), attributes Array(Tuple("
                 "key String, value Tuple(string_value Nullable(String), bool_value Nullable(Bool), int_value Nullable(Int64), "
                 "double_value Nullable(Float64)))), flags UInt32, trace_id String, span_id String, observed_time_unix_nano UInt64",
}


def messages():
    """The classes of rows.proto, by name, and their file's descriptor."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    protoc = os.environ.get("PROTOC", ROOT / "build/tools/protoc/bin/protoc")
    made = subprocess.run([protoc, f"--proto_path={HERE}", "--descriptor_set_out=/dev/stdout", "rows.proto"], check=True, stdout=subprocess.PIPE)
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(made.stdout).file:
        pool.Add(file)
    file = pool.FindFileByName("rows.proto")
    return {name: message_factory.GetMessageClass(descriptor) for name, descriptor in file.message_types_by_name.items()}, file


def rows_of(task, data, classes):
    """The bytes of each row's message."""
    if task == "arrow-rw1":
        return list(classes["WriteRequest"].FromString(data).timeseries)
    request = classes["LogsRequest"].FromString(data)
    return [record for resource in request.resource_logs for scope in resource.scope_logs for record in scope.log_records]


def sums(task, rows):
    """The sums that prove a result, of Python dictionaries: rows, elements, lengths of texts, values."""
    texts = elements = whole = 0
    real = 0.0
    for row in rows:
        if task == "arrow-rw1":
            elements += len(row["labels"]) + len(row["samples"])
            texts += sum(len(label["name"].encode()) + 3 * len(label["value"].encode()) for label in row["labels"])
            whole += sum(sample["timestamp"] for sample in row["samples"])
            real += sum(sample["value"] for sample in row["samples"])
            continue
        elements += len(row["attributes"])
        texts += len(row["severity_text"].encode()) + 3 * len(((row["body"] or {}).get("string_value") or "").encode())
        texts += 5 * len(row["trace_id"]) + 7 * len(row["span_id"])
        whole += row["time_unix_nano"] + 3 * row["severity_number"] + 5 * row["flags"] + row["observed_time_unix_nano"]
        for attribute in row["attributes"]:
            value = attribute["value"] or {}
            texts += len(attribute["key"].encode()) + 11 * len((value.get("string_value") or "").encode())
            whole += (value.get("int_value") or 0) + bool(value.get("bool_value"))
            real += value.get("double_value") or 0.0
    return len(rows), elements, texts, whole, round(real, 3)


def dictionary(message):
    """A message as a dictionary: fields without presence always, others when they are set."""
    found = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.is_repeated:
            found[field.name] = [dictionary(item) for item in value]
        elif field.has_presence and not message.HasField(field.name):
            found[field.name] = None
        else:
            found[field.name] = dictionary(value) if field.message_type else value
    return found


def ptars(task, rows, classes, file):
    import ptars as library
    handler = library.HandlerPool([file]).get_for_message(classes[ROWS[task]].DESCRIPTOR)
    return (lambda: handler.list_to_record_batch(rows)), (lambda batch: batch.to_pylist()), "messages that are cut out already"


def protarrow(task, rows, classes, _):
    import protarrow as library
    message = classes[ROWS[task]]
    read = lambda: library.messages_to_record_batch([message.FromString(row) for row in rows], message)  # noqa: E731
    return read, (lambda batch: batch.to_pylist()), "messages that are cut out already, parsed by protobuf (upb)"


def clickhouse(task, rows, classes, _):
    from chdb import session
    from google.protobuf.internal.encoder import _VarintBytes
    folder = tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
    os.chdir(folder.name)  # it keeps a cache of schemas in the working folder
    file = Path(folder.name) / "rows.bin"
    file.write_bytes(b"".join(_VarintBytes(len(row)) + row for row in rows))
    schema = (HERE / "rows.proto").read_text().replace("\\", "\\\\").replace("'", "\\'")
    settings = ("settings max_threads = 1, max_parsing_threads = 1, format_schema_source = 'string', "
                f"format_schema_message_name = '{ROWS[task]}', format_schema = '{schema}'")
    table = f"from file('{file}', 'Protobuf', '{COLUMNS[ROWS[task]]}')"
    engine = session.Session()

    def read():
        engine.query(f"select * {table} format Null {settings}")

    def values(_, keep=folder):  # the folder lives as long as the contender
        # JSON has no bytes.
        columns = "* replace (hex(trace_id) as trace_id, hex(span_id) as span_id)" if task == "arrow-logs" else "*"
        lines = engine.query(f"select {columns} {table} format JSONEachRow {settings}, output_format_json_quote_64bit_integers = 0").bytes()
        found = [json.loads(line) for line in lines.splitlines()]
        return [{name: bytes.fromhex(value) if name.endswith("_id") else value for name, value in row.items()} for row in found]

    return read, values, "messages that are cut out already; into ClickHouse's own columns, one thread"


class Contender:
    def __init__(self, task, rival, data):
        self.task = task
        classes, file = messages()
        self.rows = rows_of(task, data, classes)
        self.op, self.values, self.note = {"ptars": ptars, "protarrow": protarrow, "clickhouse": clickhouse}[rival](task, self.rows, classes, file)
        self.wanted = sums(task, [dictionary(classes[ROWS[task]].FromString(row)) for row in self.rows])

    def run(self, iterations):
        start = time.process_time_ns()
        for _ in range(iterations):
            self.op()
        return time.process_time_ns() - start

    def verify(self):
        found = sums(self.task, self.values(self.op()))
        return "" if found == self.wanted else f"the sums are {found}, those of protobuf {self.wanted}"


def answer(**fields):
    print(json.dumps(fields), flush=True)


def calibrated(contender):
    """How many operations fill a turn."""
    full, iterations = int(os.environ.get("HOTPB_BENCH_ROUND_MS") or 20) * 1_000_000, 1
    while (took := contender.run(iterations)) < full / 4:
        iterations *= 2
    return max(2, int(iterations * full / took))


def serve(contender, size):
    wrong = contender.verify()
    answer(ready=True, verified=not wrong, note=f"not verified: {wrong}" if wrong else contender.note, checksum="0", size=size)
    if wrong:
        print(f"not verified: {wrong}", file=sys.stderr)
        return
    iterations = 0
    for line in sys.stdin:
        if line.strip() != "round":
            sys.exit(f"unknown request {line.strip()!r}")
        iterations = iterations or calibrated(contender)  # now, because nobody else works in this contender's turn
        answer(ns_per_op=contender.run(iterations) / iterations, iterations=iterations, allocs=None, bytes_per_op=None)


def main():
    arguments = sys.argv[1:]
    if arguments[-1] == "-list":
        print(json.dumps({task: RIVALS for task in ROWS}))
        return
    given = dict(zip(arguments[::2], arguments[1::2]))
    task = given["-task"]
    if "-input" in given:
        data = Path(given["-input"]).read_bytes()
    else:  # our own contenders' program generates it
        data = subprocess.run([given["-program"], "-task", task, "-input-to", "/dev/stdout"], check=True, stdout=subprocess.PIPE).stdout
    serve(Contender(task, given["-rival"], data), len(data))


if __name__ == "__main__":
    main()
