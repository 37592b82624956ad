#!/usr/bin/env python3
"""Receives what the remote reporter sends (daemon/reporters/REMOTE.md), and misbehaves where it is told to.

--token TEXT   what requests must carry, in the header and in the body; another token is answered with 401
--plan A,B,…   what happens to the first, second, … POST; after the last, all are "ok":
    ok         kept, answered with {"count": N}
    NUMBER     not kept, answered with that status
    late       kept, answered with 500
    half       kept, but the connection ends in the middle of the answer
    hang       not kept and never answered
    close      not kept, the connection ends without an answer
    garbage    not kept, answered with 200 and something that is no JSON
    short      not kept, answered with 200 and a count that is one too small
    known      answered with {"known": true}
    echo       not kept, answered with 200 and the request's own body
    moved      not kept, answered with 307 to /elsewhere
--keep FILE    what was kept, also over restarts

GET /kept gives the kept logs, each once by its id, in the order they came: [{id, category, message}, …] with the
message parsed. GET /requests gives what arrived: [{path, key, did}, …].
"""
import argparse
import http.server
import json
import os
import threading

lock = threading.Lock()
kept = []
requests = []
plan = []


class Malformed(Exception):
    pass


def parsed_logs(body, token):
    """The logs of a request, or Malformed with what is wrong."""
    try:
        request = json.loads(body)
        logs = json.loads(request["logs"])
        for log in logs:
            if not isinstance(log["id"], str) or log["line_escape"] is not False:
                raise Malformed("a log without id, or to be escaped")
            log["message"] = json.loads(log["message"])
            if sorted(log["message"]) != ["double", "int", "normal", "normvector"]:
                raise Malformed("a message of other parts")
            if log["message"]["normal"]["id"] != log["id"]:
                raise Malformed("two ids in one log")
    except (ValueError, KeyError, TypeError) as error:
        raise Malformed(repr(error))
    if request["access_token"] != token:
        raise PermissionError
    return logs


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    token = ""
    keep = None

    def log_message(self, *_):
        pass

    def answer(self, status, body, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with lock:
            body = json.dumps(kept if self.path == "/kept" else requests).encode()
        self.answer(200, body)

    def store(self, logs):
        with lock:
            known = {log["id"] for log in kept}
            kept.extend(log for log in logs if log["id"] not in known)
            if self.keep:
                with open(self.keep + ".new", "w") as file:
                    json.dump(kept, file)
                os.rename(self.keep + ".new", self.keep)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with lock:
            did = plan.pop(0) if plan else "ok"
            requests.append({"path": self.path, "key": self.headers.get("Idempotency-Key"), "did": did})
        if did == "hang":
            threading.Event().wait()
        if did == "close":
            self.close_connection = True
            return
        bearer = f"Bearer {self.token}" if self.token else None
        try:
            logs = parsed_logs(body, self.token)
            if self.headers.get("Authorization") != bearer:
                raise PermissionError
        except PermissionError:
            self.answer(401, b'{"error": "token"}')
            return
        except Malformed as error:
            self.answer(400, json.dumps({"error": str(error)}).encode())
            return
        if did in ("ok", "late", "half"):
            self.store(logs)
        count = json.dumps({"count": len(logs)}).encode()
        if did == "ok":
            self.answer(200, count)
        elif did == "late":
            self.answer(500, b"{}")
        elif did == "half":
            self.send_response(200)
            self.send_header("Content-Length", str(len(count)))
            self.end_headers()
            self.wfile.write(count[: len(count) // 2])
            self.close_connection = True
        elif did == "garbage":
            self.answer(200, b"<html>It works!</html>")
        elif did == "short":
            self.answer(200, json.dumps({"count": len(logs) - 1}).encode())
        elif did == "known":
            self.answer(200, b'{"known": true}')
        elif did == "echo":
            self.answer(200, body)
        elif did == "moved":
            self.answer(307, b"", [("Location", "/elsewhere")])
        else:
            self.answer(int(did), b"{}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--token", default="")
    parser.add_argument("--plan", default="")
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    Handler.token = arguments.token
    Handler.keep = arguments.keep
    plan.extend(step for step in arguments.plan.split(",") if step)
    if arguments.keep and os.path.exists(arguments.keep):
        with open(arguments.keep) as file:
            kept.extend(json.load(file))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler)
    print(f"port {server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
