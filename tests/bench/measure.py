"""Runs commands and says what they cost, helper processes included."""

import os
import shlex
import subprocess
import threading
import time


def parent_of(pid):
    with open(f"/proc/{pid}/stat", "rb") as f:
        return int(f.read().rpartition(b")")[2].split()[1])


def peak_kib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as f:
        for line in f:
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


class Cost:
    """wall and cpu in seconds; rss in MiB: the most that the process and those
    of its descendants that run the same executable held at one time, as the
    sum of their peaks (VmHWM) so far. What they share counts twice."""

    def __init__(self, command, wall, cpu, rss, status):
        self.command, self.wall, self.cpu = command, wall, cpu
        self.rss, self.status = rss, status


class Watch(threading.Thread):
    """Polls the peaks: wait() knows only the largest of them."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.over, self.peak = pid, threading.Event(), 0

    def run(self):
        while not self.over.wait(0.05):
            try:
                self.look(os.readlink(f"/proc/{self.pid}/exe"))
            except OSError:
                pass

    def look(self, exe):
        children = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                children.setdefault(parent_of(pid), []).append(int(pid))
            except OSError:
                pass
        todo, now = [self.pid], 0
        while todo:
            pid = todo.pop()
            todo += children.get(pid, [])
            try:
                if os.readlink(f"/proc/{pid}/exe") == exe:
                    now += peak_kib(pid)
            except OSError:
                pass
        self.peak = max(self.peak, now)


def start(command, stdout=subprocess.DEVNULL):
    p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout,
                         stderr=subprocess.PIPE, text=True)
    p.began, p.watch = time.monotonic(), Watch(p.pid)
    p.watch.start()
    return p


def finish(p, ok=(0,)):
    """Waits. Both recorders wait for their helpers, so that the usage of the
    process has theirs in it."""
    errors = p.stderr.read()
    _, status, usage = os.wait4(p.pid, 0)
    wall = time.monotonic() - p.began
    p.returncode = os.waitstatus_to_exitcode(status)
    p.watch.over.set()
    p.watch.join()
    if p.returncode not in ok:
        print(f"  exit {p.returncode}: {errors.strip()[-500:]}")
    # A command too short for a poll: what wait() knows, which is at least what
    # this interpreter held when it forked.
    rss = p.watch.peak or usage.ru_maxrss
    return Cost(shlex.join(p.args), wall, usage.ru_utime + usage.ru_stime,
                rss / 1024, p.returncode)


def run(command, stdout=subprocess.DEVNULL):
    return finish(start(command, stdout))
