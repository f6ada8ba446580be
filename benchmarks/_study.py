"""Run a statistical study as a script: print, record and draw it, and write its table for docs."""

import argparse

import pandas as pd

from benchmarks import _record


def main(name, title, run, plot):
    """Run a study; with ``--quick`` on few repeats, recording nothing."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--quick", action="store_true", help="few repeats; record nothing")
    arguments = parser.parse_args()
    rows = run(quick=arguments.quick)
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    if not arguments.quick:
        print(f"recorded in {_record.save(name, title, rows)}")
        _record.PICTURES.mkdir(parents=True, exist_ok=True)
        table.to_csv(_record.PICTURES / f"{name}.csv", index=False)
        plot(rows, _record.PICTURES / f"{name}.png")
