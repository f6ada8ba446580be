"""Every script of the gallery runs by itself, draws a picture and says what was learnt."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parents[1] / "doc" / "examples").glob("plot_*.py"))
RUN = """
import runpy, sys
import matplotlib.pyplot as plt
runpy.run_path(sys.argv[1], run_name="__main__")
assert plt.get_fignums(), "no picture"
"""


def test_the_gallery_is_found():
    assert SCRIPTS


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script_runs_and_draws(script, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore:FigureCanvasAgg", "-c", RUN, str(script)],
        env={**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": str(script.parents[2])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script_ends_with_what_was_learnt(script):
    last = script.read_text(encoding="utf-8").split("# %%\n")[-1].strip()
    assert last.startswith("# **Learnt:**")
    assert last.endswith(".")
    assert all(line.startswith("# ") for line in last.splitlines())
