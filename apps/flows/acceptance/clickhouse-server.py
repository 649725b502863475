"""Serves ClickHouse's HTTP interface with an embedded ClickHouse, in the given folder: one POST, one statement. It prints its URL first.

The embedded ClickHouse has the Kafka engine, but no threads for it: a table reads its topic for a moment after CREATE and ATTACH, which then report an
error although the table works. The error is left out here. A SELECT of the table reads the topic, too. The table gets kafka_commit_on_select, so that the
consumer group keeps the place, as it does for background reads."""
import os
import re
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from chdb import session

KAFKA = re.compile(r"\bENGINE = Kafka\s+SETTINGS\b")
# Settings of the interface, not of statements, and those that name no setting of the embedded server.
NOT_SET = {"database", "default_format", "wait_end_of_query"}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        parameters = {name: values[-1] for name, values in parse_qs(urlsplit(self.path).query).items()}
        statement = self.rfile.read(int(self.headers["Content-Length"])).decode()
        kafka = KAFKA.search(statement)
        if kafka and "kafka_commit_on_select" not in statement:
            statement = statement[: kafka.end()] + " kafka_commit_on_select = 1," + statement[kafka.end() :]
        try:
            if "database" in parameters:
                server.query("USE `" + parameters["database"] + "`")
            for name, value in parameters.items():
                if name not in NOT_SET:
                    server.query(f"SET {name} = {value}")
            code, answer = 200, str(server.query(statement, parameters.get("default_format", "TabSeparated")))
        except Exception as error:
            code, answer = 500, str(error)
            if (kafka or statement.startswith("ATTACH TABLE")) and "Shutdown was called" in answer:
                code, answer = 200, ""
        self.send_response(code)
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *_):
        pass


os.chdir(sys.argv[1])
server = session.Session(os.path.join(sys.argv[1], "data"))
http = HTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{http.server_port}", flush=True)
http.serve_forever()
