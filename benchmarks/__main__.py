"""Run benchmarks by name: ``python -m benchmarks kernel_speed``."""

import argparse
from importlib import import_module
from pathlib import Path

import pandas as pd

from . import _record

FOLDER = Path(__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))


def main(argv=None):
    """Run the named benchmarks, print their tables, record and draw them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="+", choices=[*NAMES, "all"], metavar="NAME",
                        help=f"one or more of: {', '.join(NAMES)}, all")  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="small sizes; record nothing")
    arguments = parser.parse_args(argv)
    for name in NAMES if "all" in arguments.names else arguments.names:
        module = import_module(f"benchmarks.{name}")
        title = module.__doc__.splitlines()[0]
        print(title, flush=True)
        rows = module.run(quick=arguments.quick)
        print(pd.DataFrame(rows).to_string(index=False), flush=True)
        if arguments.quick:
            continue
        print(f"recorded in {_record.save(name, title, rows)}")
        if hasattr(module, "plot"):
            module.plot(rows, _record.PICTURES / f"{name}.png")


if __name__ == "__main__":
    main()
