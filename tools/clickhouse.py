"""Executes statements in an embedded ClickHouse in the given folder. Reads a JSON list of statements; prints a JSON list of [result, error]."""
import json
import os
import sys

from chdb import session

os.chdir(sys.argv[1])
server = session.Session()
results = []
for statement in json.load(sys.stdin):
    try:
        results.append([str(server.query(statement, "JSONEachRow")), ""])
    except Exception as error:
        results.append(["", str(error)])
json.dump(results, sys.stdout)
