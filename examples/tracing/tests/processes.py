#!/usr/bin/env python3
"""Producers and the service as processes: killed at any time, read back by Perfetto's trace processor (spec/tracing.md).

usage: processes.py BUILD_DIR [unittest's options]

BUILD_DIR has trace-service and tests/trace-producer. HOTPB_THOROUGH=1: a thousand producers are killed, and an hour's worth of
events (3.6 million) is written. Needs TRACE_PROCESSOR and PYTHONPATH as tools/env.sh and tools/setup trace-processor have them.
"""
import contextlib
import fcntl
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path()
THOROUGH = "HOTPB_THOROUGH" in os.environ
ERRORS = "select name, value, severity from stats where value > 0 and severity != 'info'"
# Whose n of which thread: the numbers that arrived.
STEPS = """
select process.name as process, extract_arg(slice.arg_set_id, 'debug.t') as t, count(*) as steps,
  max(extract_arg(slice.arg_set_id, 'debug.n')) as last, count(distinct extract_arg(slice.arg_set_id, 'debug.n')) as different,
  sum(slice.dur < 0) as open
from slice join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)
where slice.name = 'step' group by 1, 2"""
COUNTS = """
select (select count(*) from slice where name = 'step') as steps, (select count(*) from slice where name = 'in it') as instants,
  (select count(*) from slice where name = 'long') as long, (select count(*) from counter) as counters,
  (select count(*) from flow) as flows, (select count(*) from slice where parent_id is not null and name = 'step') as nested"""


class Service:
    """The service, its socket and its files."""

    all = []

    def __init__(self, folder, *options):
        self.folder, self.options = folder, options
        self.socket = folder / "socket"
        self.files = []
        self.process = None

    def start(self):
        self.files.append(self.folder / f"trace-{len(self.files)}.pftrace")
        self.process = subprocess.Popen(
            [BUILD / "trace-service", "--socket", self.socket, "--out", self.files[-1], *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        Service.all.append(self.process)
        line = self.process.stderr.readline()
        assert "listens" in line, line
        return self

    def stop(self):
        """SIGTERM: it drains and counts."""
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, err
        return json.loads(out)

    def kill(self):
        self.process.kill()
        self.process.communicate()


def query(file, *statements):
    done = subprocess.run(["node", HERE.parent / "oracle/query.js", file, "-"], input=json.dumps(statements), text=True,
                          capture_output=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def producer(service, name, threads, events, progress="", pause_us=0, wait_ms=0, chunks=4096, wakes=0):
    return subprocess.Popen([BUILD / "tests/trace-producer", *map(str, [service.socket, name, threads, events, progress, pause_us, wait_ms, chunks, wakes])],
                            stdout=subprocess.PIPE, text=True)


def progress_of(file):
    data = file.read_bytes() if file.exists() else b""
    return struct.unpack(f"<{len(data) // 8}Q", data)


def texts_of_all_kinds(random_texts):
    """Bytes that enter an SDK as text: cut at every byte, over-long, surrogates, of many lengths."""
    yield from (b"", b"plain", b"a\0b", b"\0", b"caf\xe9.txt", b"\xff", b"\x80", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xf0\x80\x80\x80",
                b"\xf0\x8f\xbf\xbf", b"\xed\xa0\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfe\xfe\xff\xff",
                b"\xef\xbf\xbd", b"\xef\xbb\xbfmark", b"line\nline", b"\x7f\xc2\x80")
    for whole in "данныесервер", "日本語の名前", "a😀b😀c":
        whole = whole.encode()
        for at in range(len(whole) + 1):
            yield whole[:at]
            yield whole[at:]
    for size in 15, 16, 63, 64, 65, 127, 128, 1000, 1022, 1024, 1025, 5000, 16383, 16385, 60_000:
        yield b"x" * size
        yield (b"x" * size)[:-1] + b"\xd0"
        yield b"\xff" * size
    yield b"\xd0" + b"y" * 65_530
    yield b"\xe9" * 300_000
    yield "я".encode() * 1_000_000
    dice = random.Random(3)
    for _ in range(random_texts):
        yield bytes(dice.choice((dice.randrange(256), 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x20)) for _ in range(dice.randrange(1, 400)))


def piece_sql(column):
    """A text's length, beginning and end: a long one whole would take minutes. SQL ends at a NUL."""
    return f"length({column}) || ' ' || hex(substr({column}, 1, 100)) || ' ' || hex(substr({column}, -100))"


def piece(text):
    text = text.decode("utf-8", "replace").split("\0")[0]
    return f"{len(text)} {text[:100].encode().hex()} {text[-100:].encode().hex()}".upper()


class Processes(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tracing."))
        self.addCleanup(shutil.rmtree, self.folder)

    def tearDown(self):
        """A test that fails leaves its service."""
        for process in Service.all:
            if process.poll() is None:
                process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()
        Service.all.clear()

    def check_descriptors(self, *files):
        """The second oracle: no field that Perfetto's schema does not have, none of another type."""
        done = subprocess.run([sys.executable, HERE.parent / "oracle/descriptors.py", *files], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])

    # TRC-9, TRC-10, TRC-12, TRC-13, TRC-15 to TRC-18, TRC-30, TRC-37
    def test_two_producers_of_eight_threads(self):
        steps = 56_250 if THOROUGH else 1_500  # four events each
        service = Service(self.folder).start()
        before = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        producers = [producer(service, f"p{i}", 8, steps, wait_ms=60_000) for i in range(2)]
        for program in producers:
            self.assertEqual(json.loads(program.communicate(timeout=500)[0]), {"connected": True, "dropped": 0})
        counts = service.stop()
        self.assertEqual(counts["refused"], {})
        self.assertEqual((counts["dropped"], counts["gaps"], counts["corrupt"], counts["cut"], counts["orphans"]), (0, 0, 0, 0, 0))
        after = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        errors, rows, (sums,), pids, (times,) = query(service.files[0], ERRORS, STEPS, COUNTS,
            "select pid, name from process where pid > 0 order by name", "select min(ts) as first, max(ts + dur) as last from slice")
        self.assertEqual(errors, [])
        self.assertEqual(pids, [{"pid": program.pid, "name": f"p{i}"} for i, program in enumerate(producers)])
        self.assertTrue(before < times["first"] < times["last"] < after, times)
        wanted = [{"process": f"p{i}", "t": t, "steps": steps, "last": steps, "different": steps, "open": 0} for i in range(2) for t in range(8)]
        self.assertEqual(rows, wanted)
        total, long = 16 * steps, 16 * (steps // 100)
        flows = sums.pop("flows")
        self.assertEqual(sums, {"steps": total, "instants": total - long, "long": long, "counters": total - long, "nested": 0})
        self.assertEqual(flows, long - 16)
        if not THOROUGH:
            self.check_descriptors(service.files[0])

    # TRC-12, TRC-25: whatever a producer was doing, what it had ended is in the file, once.
    def test_producers_that_are_killed(self):
        rounds = 1000 if THOROUGH else 40
        service = Service(self.folder).start()
        dice = random.Random(1)
        wanted = {}
        for at in range(0, rounds, 4):
            group = [(f"p{i}", self.folder / f"progress-{i}") for i in range(at, at + 4)]
            running = [producer(service, name, 2, 0, file, dice.choice([0, 100, 100, 200]), 60_000, dice.choice([16, 256, 4096])) for name, file in group]
            time.sleep(dice.uniform(0.005, 0.05))
            for program in running:
                program.kill()
            for program in running:
                program.communicate()
            for name, file in group:
                wanted.update({(name, t): n for t, n in enumerate(progress_of(file))})
                file.unlink(missing_ok=True)
        counts = service.stop()
        self.assertEqual(counts["refused"], {})
        self.assertEqual((counts["dropped"], counts["gaps"], counts["corrupt"], counts["orphans"]), (0, 0, 0, 0))
        errors, rows = query(service.files[0], ERRORS, STEPS)
        self.assertEqual([program for program in errors if program["severity"] == "error"], [])
        arrived = {(row["process"], row["t"]): row for row in rows}
        total = 0
        for key, n in wanted.items():
            row = arrived.get(key, {"steps": 0, "last": None, "different": 0, "open": 0})
            # The step after the last that had ended may have begun.
            self.assertIn(row["steps"], (n, n + 1), key)
            self.assertEqual(row["steps"], row["different"], key)
            self.assertLessEqual(row["open"], row["steps"] - n if row["steps"] > n else 1, key)
            total += n
        self.assertGreater(total, 10 * rounds)
        print(f"{rounds} producers killed, {total} steps had ended, all there; {counts['cut']} packets were cut", file=sys.stderr)

    # TRC-11: producers go on, and the next service gets what is in their memory.
    def test_a_service_that_is_killed(self):
        kills = 30 if THOROUGH else 4
        service = Service(self.folder).start()
        files = [self.folder / f"progress-{i}" for i in range(2)]
        running = [producer(service, f"p{i}", 4, 0, files[i], 200, 60_000) for i in range(2)]
        dice = random.Random(2)
        for _ in range(kills):
            time.sleep(dice.uniform(0.2, 0.5))
            service.kill()
            time.sleep(dice.uniform(0.0, 0.1))
            service.start()
        time.sleep(0.7)
        for program in running:
            self.assertIsNone(program.poll(), "a producer ended")
            program.kill()
            program.communicate()
        ended = {(f"p{i}", t): n for i in range(2) for t, n in enumerate(progress_of(files[i]))}
        self.assertEqual(service.stop()["refused"], {})
        arrived = dict.fromkeys(ended, 0)
        for file in service.files:
            errors, rows = query(file, ERRORS, STEPS)
            self.assertEqual([program for program in errors if program["severity"] == "error"], [], file)
            for row in rows:
                arrived[row["process"], row["t"]] += row["steps"]
        last = {(row["process"], row["t"]): row["last"] for row in rows}
        for key, n in ended.items():
            self.assertIn(last[key], (n, n + 1), "the last service has the last step")
        # TRC-59: what a service had copied and not written when it was killed is lost.
        missing = sum(ended.values()) - sum(arrived.values())
        self.assertLess(missing, kills * 8 * 400)
        self.assertGreater(sum(arrived.values()), 0.8 * sum(ended.values()))
        print(f"{kills} services killed, {sum(ended.values())} steps, {missing} missing", file=sys.stderr)

    # TRC-59: nobody has looked at the area before the signal comes.
    def test_a_service_that_is_told_to_end_reads_and_writes_what_is_there(self):
        service = Service(self.folder, "--interval-ms", "60000").start()
        file = self.folder / "progress"
        program = producer(service, "p", 2, 0, file, 500)
        while min(progress_of(file), default=0) < 200:
            time.sleep(0.01)
        ended = progress_of(file)
        counts = service.stop()
        program.kill()
        program.communicate()
        self.assertEqual((counts["dropped"], counts["held_back"], counts["refused"]), (0, 0, {}))
        errors, rows = query(service.files[0], ERRORS, STEPS)
        self.assertEqual([row for row in errors if row["severity"] == "error"], [])
        for row in rows:
            self.assertGreaterEqual(row["last"], ended[row["t"]])
            self.assertEqual(row["steps"], row["last"])

    # SHM-45: the service would look again in a minute, and the writers wait.
    def test_a_producer_wakes_a_service_that_sleeps(self):
        service = Service(self.folder, "--interval-ms", "60000").start()
        program = producer(service, "p", 2, 5_000, wait_ms=3_600_000, chunks=64, wakes=1)
        self.assertEqual(json.loads(program.communicate(timeout=500)[0]), {"connected": True, "dropped": 0})
        self.assertEqual(service.stop()["dropped"], 0)
        errors, rows = query(service.files[0], ERRORS, STEPS)
        self.assertEqual(errors, [])
        self.assertEqual([row["steps"] for row in rows], [5_000, 5_000])

    # TRC-14, TRC-38, TRC-49: no producer waits for a file that takes no more.
    def test_a_file_that_takes_no_more(self):
        service = Service(self.folder)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (300_001, limits[1]))
            service.start()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        program = producer(service, "p", 2, 30_000, wait_ms=3_600_000, chunks=64)
        self.assertEqual(json.loads(program.communicate(timeout=500)[0]), {"connected": True, "dropped": 0})
        service.process.send_signal(signal.SIGTERM)
        out, _ = service.process.communicate(timeout=60)
        self.assertEqual(service.process.returncode, 1)
        counts = json.loads(out)
        self.assertEqual(counts["dropped"], 0)
        self.assertGreater(counts["unwritten_bytes"], 1_000_000)
        self.assertEqual(counts["file_bytes"], service.files[0].stat().st_size)
        self.assertLess(counts["file_bytes"], 300_002)
        errors, rows = query(service.files[0], ERRORS, STEPS)
        self.assertEqual([row for row in errors if row["severity"] == "error"], [])
        self.assertGreater(sum(row["steps"] for row in rows), 500)

    # TRC-20, TRC-21: an area that is far too small.
    def test_loss_is_counted_and_marked(self):
        service = Service(self.folder, "--interval-ms", "200").start()
        program = producer(service, "small", 2, 20_000, chunks=8)
        said = json.loads(program.communicate(timeout=100)[0])
        counts = service.stop()
        self.assertGreater(said["dropped"], 1000)
        self.assertEqual(counts["dropped"], said["dropped"])
        errors, rows = query(service.files[0], ERRORS, STEPS)
        self.assertEqual([row for row in errors if row["severity"] == "error"], [])
        self.assertTrue(all(row["open"] <= 1 for row in rows), "scopes whose begin was written have an end, but for the last")
        self.check_descriptors(service.files[0])

    # TRC-24: whatever else connects.
    def test_strangers_are_sent_away(self):
        service = Service(self.folder).start()
        for message in (b"", b"\x08\x01", b"\xff\xff", b"\x08\x02", b"x" * 5000):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as stranger:
                stranger.connect(str(service.socket))
                if message:
                    stranger.send(message)
                    self.assertEqual(stranger.recv(100), b"")
        with tempfile.TemporaryFile() as file:
            file.truncate(1 << 20)
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as stranger:
                stranger.connect(str(service.socket))
                socket.send_fds(stranger, [b"\x08\x01"], [file.fileno()] * 2)
                self.assertEqual(stranger.recv(100), b"")
        good = producer(service, "good", 1, 10)
        self.assertEqual(json.loads(good.communicate(timeout=60)[0])["dropped"], 0)
        counts = service.stop()
        self.assertEqual(counts["producers"], 1)
        self.assertEqual(counts["sent_away"], 6)

    def connect(self, service):
        """A producer by hand: the connection, its area and its registry, both empty."""
        vectors = HERE.parents[2] / "vectors"
        area = next(vector for vector in json.loads((vectors / "shm/areas.json").read_text()) if vector["name"] == "an_area_without_packets")
        registry = next(vector for vector in json.loads((vectors / "tracing/registries.json").read_text()) if vector["name"] == "a_later_minor_version_is_read")
        files = []
        for size, parts in (area["size"], area["parts"]), (registry["size"], [{"at": 0, "hex": registry["hex"]}]):
            files.append(os.memfd_create("by hand", os.MFD_ALLOW_SEALING))
            self.addCleanup(os.close, files[-1])
            os.ftruncate(files[-1], size)
            for part in parts:
                os.pwrite(files[-1], bytes.fromhex(part["hex"]), part["at"])
            fcntl.fcntl(files[-1], fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(connection.close)
        connection.connect(str(service.socket))
        socket.send_fds(connection, [b"\x08\x01"], files)
        self.assertEqual(connection.recv(100), b"\x0a\x01*")  # Config: all categories
        return connection, files

    # TRC-36, TRC-52
    def test_a_producer_that_says_more_than_flush_is_sent_away(self):
        service = Service(self.folder).start()
        connection, _ = self.connect(service)
        for number in (1, 7):
            connection.send(bytes([0x08, number]))
            self.assertEqual(connection.recv(100), b"\x0a\x01*\x10" + bytes([number]))  # Config, flushed
        connection.send(b"\x08\x00")
        with contextlib.suppress(ConnectionResetError):  # the kernel's word for a message that nobody read
            self.assertEqual(connection.recv(100), b"")
        self.assertEqual(service.stop()["producers"], 1)

    # TRC-49: what Python makes of the same bytes is what the trace processor reads; no text costs anything but itself.
    def test_texts_that_are_any_bytes(self):
        texts = list(texts_of_all_kinds(200 if THOROUGH else 40))
        file = self.folder / "texts"
        file.write_bytes(b"".join(struct.pack("<I", len(text)) + text for text in texts))
        service = Service(self.folder).start()
        done = subprocess.run([BUILD / "tests/trace-texts", service.socket, "values", file], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(json.loads(done.stdout), {"connected": True, "dropped": 0})
        counts = service.stop()
        self.assertEqual((counts["refused"], counts["producers"], counts["written"]), ({}, 1, 5 * len(texts)))
        errors, rows = query(service.files[0], ERRORS, f"""
            select extract_arg(arg_set_id, 'debug.number') as number, depth, dur < 0 as open, {piece_sql("name")} as name,
              {piece_sql("extract_arg(arg_set_id, 'debug.value')")} as value from slice order by number, depth""")
        self.assertEqual(errors, [])
        self.assertEqual(len(rows), 3 * len(texts))
        for i, text in enumerate(texts):
            wanted = [(i, 0, 0, piece(b"outer"), None), (i, 1, 0, piece(text), piece(text)), (i, 2, 0, piece(b"in it"), piece(text))]
            self.assertEqual([(r["number"], r["depth"], r["open"], r["name"], r["value"]) for r in rows[3 * i : 3 * i + 3]], wanted, text[:100])

    # TRC-49, TRC-50: process, thread, category, events, keys, counter and unit.
    def test_names_that_are_any_bytes(self):
        texts = [text for text in texts_of_all_kinds(30 if THOROUGH else 4) if b"\0" not in text and len(text) < 100_000]
        service = Service(self.folder).start()
        running = {}
        for text in texts:
            program = subprocess.Popen([BUILD / "tests/trace-texts", service.socket, "names", text], stdout=subprocess.PIPE, text=True)
            self.assertEqual(json.loads(program.communicate(timeout=60)[0]), {"connected": True, "dropped": 0}, text[:100])
            running[program.pid] = text
        counts = service.stop()
        self.assertEqual((counts["refused"], counts["producers"], counts["written"]), ({}, len(texts), 7 * len(texts)))
        errors, slices, counters = query(service.files[0], ERRORS, f"""
            select pid, {piece_sql("process.name")} as process, {piece_sql("thread.name")} as thread, {piece_sql("slice.name")} as name,
              {piece_sql("category")} as category, depth, dur < 0 as open, {piece_sql("(select key from args where args.arg_set_id = slice.arg_set_id)")} as key
            from slice join thread_track on track_id = thread_track.id join thread using (utid) join process using (upid) order by pid, slice.id""", f"""
            select pid, {piece_sql("process_counter_track.name")} as name, {piece_sql("unit")} as unit, value
            from counter join process_counter_track on track_id = process_counter_track.id join process using (upid) order by pid""")
        self.assertEqual(errors, [])
        self.assertEqual((len(slices), len(counters)), (3 * len(texts), len(texts)))
        for i, row in enumerate(slices):
            text = running[row["pid"]]
            if text:  # else the kernel's names
                self.assertEqual((row["process"], row["thread"]), (piece(text[:16384]), piece(text[:15])))
            key = b"debug." + text.translate(bytes.maketrans(b".[]", b"___"))  # as the trace processor writes it
            names = (0, piece(text), piece(text), piece(key)) if i % 3 == 0 else (1, piece(b"work"), piece(b"texts"), None)
            self.assertEqual((row["depth"], row["name"], row["category"], row["key"]), names, text[:100])
            self.assertEqual(row["open"], 0)
        for row in counters:
            text = running[row["pid"]]
            self.assertEqual((row["name"], row["unit"], row["value"]), (piece(text[:16384]), piece(text[:16384]) if text else None, 7))

    # TRC-49: Linux cuts the name of a program inside a character; a program may be renamed.
    def test_a_program_whose_name_is_cut(self):
        program = self.folder / "данныесервер"
        shutil.copy(BUILD / "tests/trace-producer", program)
        service = Service(self.folder).start()
        done = subprocess.run([program, service.socket, "", "1", "50"], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(json.loads(done.stdout)["dropped"], 0)
        counts = service.stop()
        self.assertEqual((counts["refused"], counts["producers"]), ({}, 1))
        errors, rows = query(service.files[0], ERRORS, STEPS)
        self.assertEqual(errors, [])
        self.assertEqual([(row["process"], row["steps"]) for row in rows], [("данныес\ufffd", 50)])

    # TRC-54: a service that refuses a producer is not asked again at once.
    def test_a_producer_that_is_sent_away_comes_back_after_growing_pauses(self):
        path = self.folder / "socket"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(path))
            listener.listen()
            program = subprocess.Popen([BUILD / "tests/trace-producer", path, "p", "1", "0", "", "1000"], stdout=subprocess.DEVNULL)
            self.addCleanup(program.wait)
            self.addCleanup(program.kill)
            for _ in range(8):
                connection, _ = listener.accept()
                connection.send(b"\x0a\x01*")
                ended = time.monotonic_ns()
                connection.close()
            connection, _ = listener.accept()
            self.assertGreaterEqual(time.monotonic_ns() - ended, 100_000_000)
            connection.close()

    # TRC-43
    def test_a_producer_whose_registry_becomes_corrupt_is_sent_away(self):
        service = Service(self.folder).start()
        connection, (_, registry) = self.connect(service)
        os.pwrite(registry, struct.pack("<I", 5000), 16)
        self.assertEqual(connection.recv(100), b"")
        service.stop()

    # TRC-44
    def test_the_number_of_producers_is_bounded(self):
        service = Service(self.folder).start()
        with contextlib.ExitStack() as stack:
            for i in range(257):
                client = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
                client.connect(str(service.socket))
            self.assertEqual(client.recv(100), b"")
        self.assertEqual(service.stop()["sent_away"], 257)

    # TRC-10
    def test_only_the_categories_that_are_asked_for(self):
        service = Service(self.folder, "--categories", "work,nothing").start()
        producer(service, "p", 1, 50).communicate(timeout=60)
        counts = service.stop()
        (sums,), = query(service.files[0], COUNTS)
        self.assertEqual((sums["steps"], sums["instants"], sums["counters"], counts["written"]), (50, 0, 0, 100))

    # TRC-26
    def test_flight_recorder(self):
        service = Service(self.folder, "--flight", "1").start()
        producer(service, "p", 1, 40_000, wait_ms=60_000).communicate(timeout=100)
        counts = service.stop()
        self.assertEqual(counts["dropped"], 0)
        self.assertLess(service.files[0].stat().st_size, 2 << 20)
        errors, rows = query(service.files[0], ERRORS, STEPS)
        self.assertEqual([row for row in errors if row["severity"] == "error"], [])
        self.assertEqual([row["last"] for row in rows], [40_000])
        self.check_descriptors(service.files[0])

    # TRC-26: on demand, with all that had been read.
    def test_flight_recorder_on_demand(self):
        service = Service(self.folder, "--flight", "16").start()
        file = self.folder / "progress"
        program = producer(service, "p", 1, 0, file, 500)
        for _ in range(3):
            while min(progress_of(file), default=0) < 100:
                time.sleep(0.01)
            ended = progress_of(file)[0]
            service.process.send_signal(signal.SIGUSR1)
            while not service.files[0].exists():
                time.sleep(0.01)
            _, rows = query(service.files[0], ERRORS, STEPS)
            self.assertGreaterEqual(rows[0]["last"], ended)
            self.assertEqual(rows[0]["steps"], rows[0]["last"])
            service.files[0].unlink()
        program.kill()
        program.communicate()
        service.stop()

    def test_two_services_do_not_share_a_socket(self):
        service = Service(self.folder).start()
        second = subprocess.run([BUILD / "trace-service", "--socket", service.socket, "--out", self.folder / "other"], capture_output=True, text=True)
        self.assertEqual(second.returncode, 1)
        self.assertIn("Address already in use", second.stderr)
        repeated = subprocess.run([BUILD / "trace-service", "--socket", service.socket, "--out", service.files[0]], capture_output=True, text=True)
        self.assertIn("File exists", repeated.stderr)
        service.stop()


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=1)
