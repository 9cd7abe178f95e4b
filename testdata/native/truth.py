"""A Python program that logs who held which of its locks when, and contends for
the interpreter's own as well: what contend says of a recording is held to that.

  truth.py OUT.json MILLISECONDS SEED [GATE]

Six threads take two threading.Locks, compute and sleep inside the sections, and
compute without any, for which each needs the GIL; a seventh takes from a queue,
idle. With GATE they start when that file exists. Times are of the monotonic
clock: perf's with -k CLOCK_MONOTONIC. A wait begins when a lock asked for is
taken, and ends when the thread has it and the GIL. What threads wait for the GIL
otherwise they cannot log: it is what is left of their time when sleep, waits and
CPU are gone, of which the program says the sum.
"""

import json
import os
import queue
import random
import sys
import threading
import time

LOCKS = ["stock", "journal"]
now = time.monotonic_ns


class Log:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.sections = []  # lock, operation, asked, got, gave, waited
        self.slept = self.alive = self.cpu = 0

    def nap(self, seconds):
        begin = now()
        time.sleep(seconds)
        self.slept += now() - begin

    def busy(self, rounds):
        total = 0
        for i in range(rounds * 40):
            total += i & 7
        return total


# Each operation takes and gives back its lock itself: of the functions of Python
# perf shows the innermost only, and those with -X perf alone.


def reserve(log):
    asked, waited = now(), not stock.acquire(blocking=False)
    if waited:
        stock.acquire()
    got = now()
    log.busy(100)
    gave = now()
    stock.release()
    log.sections.append(("stock", "reserve", asked, got, gave, waited))


def recount(log):
    asked, waited = now(), not stock.acquire(blocking=False)
    if waited:
        stock.acquire()
    got = now()
    log.nap(0.012)
    gave = now()
    stock.release()
    log.sections.append(("stock", "recount", asked, got, gave, waited))


def post(log):
    asked, waited = now(), not journal.acquire(blocking=False)
    if waited:
        journal.acquire()
    got = now()
    log.busy(50)
    gave = now()
    journal.release()
    log.sections.append(("journal", "post", asked, got, gave, waited))


def flush(log):
    asked, waited = now(), not journal.acquire(blocking=False)
    if waited:
        journal.acquire()
    got = now()
    log.nap(0.005)
    gave = now()
    journal.release()
    log.sections.append(("journal", "flush", asked, got, gave, waited))


def price(log):
    log.busy(600)


stock, journal = threading.Lock(), threading.Lock()
inbox = queue.SimpleQueue()


def work(log, end):
    log.alive = -now()
    while now() < end:
        d = log.random.randrange(100)
        [reserve, post, recount, flush, price][(d >= 25) + (d >= 45) + (d >= 48) + (d >= 52)](log)
        if d % 3 == 0:
            log.nap(0.001)
    log.alive += now()
    log.cpu = time.thread_time_ns()


def listen():
    while inbox.get() is not None:
        pass


def blame(wait, sections):
    """Yields who had the lock how long while somebody waited for it."""
    _, _, asked, got, _, _ = wait
    for _, operation, began, _, ended, _ in ((s[0], s[1], s[3], 0, s[4], 0) for s in sections):
        overlap = min(got, ended) - max(asked, began)
        if overlap > 0:
            yield operation, overlap


def report(path, logs):
    locks, waited = [], 0
    for name in LOCKS:
        sections = [s for l in logs for s in l.sections if s[0] == name]
        waits = [s for s in sections if s[5]]
        owners, waiters = {}, {}
        for w in waits:
            waiters[w[1]] = waiters.get(w[1], 0) + w[3] - w[2]
            for operation, ns in blame(w, sections):
                owners[operation] = owners.get(operation, 0) + ns
        ns = sum(waiters.values())
        waited += ns
        locks.append({"lock": name, "waits": len(waits), "wait_ns": ns, "handoff_ns": ns - sum(owners.values()),
                      "waiters": waiters, "blocked_by": owners})
    left = sum(l.alive - l.slept - l.cpu for l in logs) - waited
    with open(path, "w") as out:
        json.dump({"program": "truth.py", "pid": os.getpid(), "gil_or_cpu_wait_ns": left, "locks": locks}, out, indent=1)
        out.write("\n")


def main(path, millis, seed, gate=None):
    while gate and not os.path.exists(gate):
        time.sleep(0.001)
    logs = [Log(seed * 31 + k) for k in range(6)]
    end = now() + millis * 1_000_000
    workers = [threading.Thread(target=work, args=(l, end), name=f"worker-{k}") for k, l in enumerate(logs)]
    listener = threading.Thread(target=listen, name="listener")
    for t in workers + [listener]:
        t.start()
    for t in workers:
        t.join()
    inbox.put(None)
    listener.join()
    report(path, logs)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:5])
