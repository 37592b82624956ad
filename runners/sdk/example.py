#!/usr/bin/env python3
"""A benchmark for Tandem in Python: speaks the slice protocol (PROTOCOL.md) by lines; run alone it prints a table."""
import os
import random
import socket
import time

NUMBERS = random.Random(int(os.environ.get("TANDEM_SEED", "1"))).choices(range(1000), k=500)
BENCHMARKS = {"sort/500": lambda: sorted(NUMBERS), "join/500": lambda: " ".join(map(str, NUMBERS))}

def timed(body, iterations):
    begin = time.monotonic_ns()
    for _ in range(iterations):
        body()
    return time.monotonic_ns() - begin

def serve(channel):
    body = None
    for line in channel:
        verb, _, rest = line.rstrip("\n").partition(" ")
        if verb == "hello":
            answer = "hello 1"  # declines the shared page
        elif verb == "list":
            answer = "\n".join([f"benchmark {name}" for name in BENCHMARKS] + ["end"])
        elif verb == "select" and rest in BENCHMARKS:
            body, answer = BENCHMARKS[rest], "selected"
        elif verb == "run" and body and rest.isdecimal():
            answer = f"time {rest} {timed(body, int(rest))}"
        elif verb == "quit":
            return
        else:
            answer = f"error cannot do: {line.rstrip()}"
        print(answer, file=channel, flush=True)

if "TANDEM_FD" in os.environ:
    serve(socket.socket(fileno=int(os.environ["TANDEM_FD"])).makefile("rw", encoding="utf-8", newline="\n"))
else:
    for name, body in BENCHMARKS.items():
        slices = sorted(timed(body, 100) / 100 for _ in range(101))
        print(f"{name:12} median {slices[50]:9.0f} ns, p10 {slices[10]:9.0f} ns, p90 {slices[90]:9.0f} ns")
