#!/usr/bin/env python3
"""hottest.py TRACE [ROWS]: the slices of a trace that took the longest, as Perfetto's trace processor counts them.

Self time is the time of a slice without the slices inside of it. Needs TRACE_PROCESSOR (tools/env.sh).
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SELF = """
with inside as (select parent_id as id, sum(dur) as dur from slice where parent_id is not null group by 1),
self as (select s.*, s.dur - coalesce(inside.dur, 0) as self from slice s left join inside using (id) where s.dur > 0)
"""
BY_NAME = SELF + """select name, count(*) as n, sum(dur) / 1e6 as total_ms, sum(self) / 1e6 as self_ms, max(self) / 1e6 as longest_ms
from self group by name order by self_ms desc limit {rows}"""
SINGLE = SELF + """select self.name, coalesce(extract_arg(arg_set_id, 'debug.file'), '') as file, self / 1e6 as self_ms, thread.name as thread
from self left join thread_track on self.track_id = thread_track.id left join thread using (utid) order by self desc limit {rows}"""
ERRORS = "select name, value from stats where value > 0 and severity != 'info'"


def main():
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    statements = [BY_NAME.format(rows=rows), SINGLE.format(rows=rows), ERRORS]
    done = subprocess.run([HERE / "query.js", sys.argv[1], "-"], input=json.dumps(statements), text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    names, single, errors = json.loads(done.stdout)
    print(f"{'slices':24} {'count':>7} {'total ms':>10} {'self ms':>10} {'longest':>10}")
    for row in names:
        print(f"{row['name']:24} {row['n']:7} {row['total_ms']:10.3f} {row['self_ms']:10.3f} {row['longest_ms']:10.3f}")
    print(f"\n{'the hottest ones':24} {'self ms':>10}  file")
    for row in single:
        print(f"{row['name']:24} {row['self_ms']:10.3f}  {row['file']}")
    for row in errors:
        print(f"the trace processor reports: {row['name']} {row['value']}")


if __name__ == "__main__":
    main()
