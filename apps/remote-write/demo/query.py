"""query.py FOLDER: the metrics with the most samples, a rate, and a chart, by DuckDB over the receiver's files."""

import sys

import duckdb

TOP = """
select __name__ as metric, count(*) as samples, max(__value__) as largest, max(__time__) as last
from samples group by 1 order by 2 desc, 1 limit 8
"""

# The last value of the counter before each one; a counter that falls was reset.
STEPS = """
with steps as (
  select __time__, __value__, lag(__value__) over one as before, lag(__time__) over one as since,
  from samples where __name__ = $counter
  window one as (partition by instance, job, kind order by __time__)
), increases as (
  select __time__, case when __value__ < before then __value__ else __value__ - before end as increase,
    epoch_ms(__time__) - epoch_ms(since) as ms
  from steps where before is not null
)
"""
RATE = STEPS + "select sum(increase) * 1000.0 / sum(ms) as rows_per_second from increases"
CHART = STEPS + """
select strftime(date_trunc('second', __time__), '%H:%M:%S') as second, sum(increase)::bigint as rows,
  bar(sum(increase), 0, max(sum(increase)) over (), 50) as chart
from increases group by date_trunc('second', __time__) order by 1
"""


def main(folder):
    connection = duckdb.connect()
    connection.sql("set timezone = 'UTC'")
    files = f"{folder}/data/samples/*/*.parquet"
    connection.sql(f"create view samples as from read_parquet('{files}', union_by_name = true)")
    counter = {"counter": "hotpb_rw_written_rows_total"}
    for title, query, parameters in [
        ("The metrics with the most samples:", TOP, None),
        (f"rate({counter['counter']}):", RATE, counter),
        (f"Increase of {counter['counter']} in each second:", CHART, counter),
    ]:
        print(f"\n{title}")
        connection.sql(query, params=parameters).show(max_rows=40, max_width=120, max_col_width=70)


main(*sys.argv[1:])
