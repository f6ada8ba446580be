"""Puts one fault after the other into a copy of the package and runs the tests."""

import filecmp
import json
import os
import queue
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from .recording import environment

_LIMIT = 60.0
_STOP = (60, 240, 240)  # seconds of the processor after which a round is stopped


class Judge:
    """One copy of the project and a process that runs its tests.

    Parameters
    ----------
    root : Path
        Copy that nobody else uses.
    record : Record
    """

    def __init__(self, root, record):
        self.root = root
        self.record = record
        self._sound = {}
        command = [sys.executable, "-P", str(Path(__file__).with_name("worker.py")), str(root)]
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, env=environment(root), **streams)

    def close(self):
        """End the process."""
        self._process.stdin.close()
        self._process.wait()

    def judge(self, mutant):
        """Return how a mutant ends and the test that noticed it.

        Returns
        -------
        end : {"value", "error", "time", "survived", "not run"}
            A failed assertion, an error or a stop by the time limit alone, no test that fails, no
            test at all.
        by : str
        """
        rounds = self.record.rounds(mutant, _LIMIT)
        weaker = None
        for names, stop in zip(rounds, _STOP):
            answer = self._with_fault(mutant, names, stop)
            if answer["assertion"] and self._passes(answer["assertion"]):
                return "value", answer["assertion"]
            if answer["code"] is None:
                weaker = weaker or ("time", f"{len(names)} tests")
            elif answer["error"] and self._passes(answer["error"]):
                weaker = weaker or ("error", answer["error"])
            elif answer["code"] == 4:
                weaker = weaker or ("error", "the tests cannot be collected")
            if weaker:
                return weaker
        if not rounds:
            return "not run", ""
        return "survived", f"{sum(map(len, rounds))} tests"

    def _with_fault(self, mutant, names, stop):
        path = self.root / mutant.path
        source, times = path.read_bytes(), path.stat()
        try:
            path.write_bytes(mutant.apply(source))
            # Another time than that of the compiled file, which is read if it is as old.
            os.utime(path, (times.st_atime, times.st_mtime + 1000))
            return self._ask(names, stop)
        finally:
            path.write_bytes(source)
            os.utime(path, (times.st_atime, times.st_mtime))

    def _passes(self, name):
        """Return whether a test passes without any fault."""
        if "::" not in name:
            return True
        if name not in self._sound:
            self._sound[name] = self._ask([name], _STOP[0])["code"] == 0
            if not self._sound[name]:
                print(f"fails without a fault: {name}", flush=True)
        return self._sound[name]

    def _ask(self, names, stop):
        self._process.stdin.write(json.dumps({"tests": names, "seconds": stop}) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def judge_all(folder, record, mutants, n_processes):
    """Judge mutants in several processes; yield each one with its end when it is known."""
    judges = queue.Queue()
    roots = [folder / f"copy_{i}" for i in range(n_processes)]
    for root in roots:
        _copy(record.root, root)
        judges.put(Judge(root, record))

    def one(mutant):
        judge = judges.get()
        try:
            return mutant, *judge.judge(mutant)
        finally:
            judges.put(judge)

    with ThreadPoolExecutor(n_processes) as pool:
        for known in as_completed([pool.submit(one, mutant) for mutant in mutants]):
            yield known.result()
    while not judges.empty():
        judges.get().close()


def _copy(source, root):
    """Make a copy, or bring an earlier one into its state, with the compiled form of all files.

    An earlier one may hold a fault, if its run was stopped.
    """
    for path in source.rglob("*"):
        copy = root / path.relative_to(source)
        if path.name.startswith(".coverage") or path.suffix == ".pyc" or path.is_dir():
            continue
        if not copy.exists() or not filecmp.cmp(path, copy, shallow=False):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
    variables = {**environment(root), "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run(command, cwd=root, env=variables, capture_output=True, check=True)
