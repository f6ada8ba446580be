"""Progress on standard error."""

import sys
import time


class Progress:
    """One line on standard error: rewritten in place in a terminal, a line per step elsewhere."""

    def __init__(self, total=None):
        self.total = total
        self.done = 0
        self.start = time.monotonic()
        self.terminal = sys.stderr.isatty()

    def step(self, text):
        """Announce the next step."""
        self.done += 1
        count = "" if self.total is None else f"{self.done}/{self.total}, "
        line = f"[{count}{time.monotonic() - self.start:.0f} s] {text} ..."
        self._write(f"\r{line[:79]:<79}" if self.terminal else f"{line}\n")

    def clear(self):
        """Remove the line, so that results can be printed."""
        if self.terminal:
            self._write(f"\r{'':<79}\r")

    @staticmethod
    def _write(text):
        sys.stderr.write(text)
        sys.stderr.flush()
