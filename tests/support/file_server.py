#!/usr/bin/env python3
"""Serves the files of a folder over HTTP on loopback, well or badly, as the first part of the path says.

/plain/NAME          no validator, no ranges
/ranges/NAME         ETag, Range and If-Range
/dated/NAME          the same with Last-Modified instead of an ETag
/weak/NAME           the same with a weak ETag, which no range may rest on
/no_ranges/NAME      an ETag, but every answer is the whole file
/refuses_range/NAME  416 to every request for a range
/shifts_range/NAME   answers a range with one that begins a byte later
/missing             404; /forbidden 403; /empty_answer 204
/fails/N/NAME        500 to the first N requests, then as /ranges
/busy/N/NAME         429 to the first N requests, then as /ranges
/cut/N/NAME          closes the first N answers in the middle of their bodies; ranges
/cut_chunked/N/NAME  the same without a length, in chunks; no ranges
/chunked/NAME        in chunks, without a length
/hangs/NAME          reads the request and says nothing
/boasts/NAME         claims 2^60 bytes
/redirect/N/PATH     N redirects, then PATH
/loop                redirects to itself
/elsewhere?URL       redirects to URL
/stats               one line a request: PATH RANGE STATUS

With "?half" a whole file stops at its half until there is a request for /open; ranges come at once.
"""
import argparse
import email.utils
import hashlib
import http.server
import os
import re
import ssl
import threading
import time

lock = threading.Lock()
seen = []
counts = {}
gate = threading.Event()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    root = "."

    def log_message(self, *_):
        pass

    def log_request(self, code="-", size="-"):
        if self.path not in ("/stats", "/open"):
            with lock:
                seen.append(f"{self.path} {self.headers.get('Range', '-')} {int(code)}\n")

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def redirect(self, to):
        self.answer(302, b"moved", [("Location", to)])

    def early(self, path, number):
        """Whether this is one of the first `number` requests for the path."""
        with lock:
            counts[path] = counts.get(path, 0) + 1
            return counts[path] <= number

    def do_GET(self):
        path, _, query = self.path.partition("?")
        parts = path.strip("/").split("/")
        kind = parts[0]
        if kind == "stats":
            with lock:
                return self.answer(200, "".join(seen).encode())
        if kind == "open":
            gate.set()
            return self.answer(200)
        if kind == "loop":
            return self.redirect("/loop")
        if kind == "elsewhere":
            return self.redirect(query)
        if kind == "redirect":
            left, rest = int(parts[1]), "/".join(parts[2:])
            return self.redirect(f"/redirect/{left - 1}/{rest}" if left > 1 else f"/{rest}")
        if kind in ("forbidden", "empty_answer"):
            return self.answer(403 if kind == "forbidden" else 204)
        if kind == "hangs":
            self.log_request(0)
            time.sleep(3600)
        number = int(parts[1]) if len(parts) == 3 else 0
        try:
            with open(os.path.join(self.root, parts[-1]), "rb") as file:
                content = file.read()
                changed = os.fstat(file.fileno()).st_mtime
        except OSError:
            return self.answer(404, b"nothing here")
        early = self.early(path, number)
        if kind in ("fails", "busy") and early:
            return self.answer(500 if kind == "fails" else 429, b"not now")
        self.file(kind, content, changed, early, query == "half")
        return None

    def file(self, kind, content, changed, early, gated):
        if kind == "dated":
            validator = ("Last-Modified", email.utils.formatdate(changed, usegmt=True))
        else:
            validator = ("ETag", f'"{hashlib.md5(content).hexdigest()}"')
        if kind == "weak":
            validator = ("ETag", "W/" + validator[1])
        start = self.wanted_start(kind, validator[1])
        if start is not None and (kind == "refuses_range" or start >= len(content)):
            return self.answer(416, b"", [("Content-Range", f"bytes */{len(content)}")])
        self.send_response(200 if start is None else 206)
        if start is not None and kind == "shifts_range":
            start += 1
        body = content[start or 0 :]
        if kind not in ("plain", "cut_chunked", "chunked"):
            self.send_header(*validator)
        if start is not None:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        chunked = kind in ("cut_chunked", "chunked")
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(2**60 if kind == "boasts" else len(body)))
        self.end_headers()
        half = len(body) // 2
        self.piece(body[:half], chunked)
        if kind in ("cut", "cut_chunked") and early:
            self.close_connection = True
            return None
        if gated and start is None:
            gate.wait()
        self.piece(body[half:], chunked)
        if chunked:
            self.wfile.write(b"0\r\n\r\n")
        return None

    def wanted_start(self, kind, validator):
        """Where the wanted range begins, or None for the whole file."""
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if not wanted or kind in ("plain", "no_ranges", "chunked", "cut_chunked"):
            return None
        if self.headers.get("If-Range", validator) != validator:
            return None
        return int(wanted.group(1))

    def piece(self, data, chunked):
        if chunked:
            data = b"%x\r\n%b\r\n" % (len(data), data)
        self.wfile.write(data)
        self.wfile.flush()


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass  # a client that goes away is what many of the tests are about


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--root", required=True)
    parser.add_argument("--certificate", help="file with certificate and key: serve HTTPS")
    options = parser.parse_args()
    Handler.root = options.root
    server = Server(("127.0.0.1", options.port), Handler)
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(f"port {server.server_port}")
    server.serve_forever()


main()
