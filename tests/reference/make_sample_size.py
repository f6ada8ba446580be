"""Write `sample_size.json`: the rows that pmvalsampsize finds for a slope.

Run with that package installed: ``python tests/reference/make_sample_size.py``. It draws a million
log-odds, so its numbers are right to about half a percent.
"""

import json
from importlib.metadata import version
from pathlib import Path

CASES = {
    "normal log-odds, rare": {"prevalence": 0.018, "lpnormal": (-5, 2.5)},
    "normal log-odds, narrow": {"prevalence": 0.022, "lpnormal": (-4.6, 1.3)},
    "beta": {"prevalence": 0.43, "lpbeta": (1.33, 1.75)},
    "beta, wide interval": {"prevalence": 0.2, "lpbeta": (2, 8), "csciwidth": 0.4},
}


def main():
    """Run the package and write what it says."""
    from pmvalsampsize.pmvalsampsize import pmvalsampsize  # not a dependency of the tests

    cases = []
    for name, options in CASES.items():
        found = pmvalsampsize(type="b", cstatistic=0.8, noprint=True, **options)
        table = found["results_table"]
        cases.append(
            {
                "name": name,
                "params": {"csciwidth": 0.2, **options},
                "expected": {"slope": int(table[1][1])},
            }
        )
    source = f"pmvalsampsize {version('pmvalsampsize')}"
    path = Path(__file__).with_name("sample_size.json")
    path.write_text(json.dumps({"source": source, "cases": cases}, indent=1) + "\n")


if __name__ == "__main__":
    main()
