"""Run a statistical study as a script: print its table, record it, draw it."""

import argparse

import pandas as pd

from benchmarks import _record


def main(name, title, run, plot):
    """Run a study; with ``--quick`` on few repeats, recording nothing."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--quick", action="store_true", help="few repeats; record nothing")
    arguments = parser.parse_args()
    rows = run(quick=arguments.quick)
    print(pd.DataFrame(rows).to_string(index=False))
    if not arguments.quick:
        print(f"recorded in {_record.save(name, title, rows)}")
        _record.PICTURES.mkdir(parents=True, exist_ok=True)
        plot(rows, _record.PICTURES / f"{name}.png")
