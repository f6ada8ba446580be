"""Benchmarks: ``python -m benchmarks NAME`` reruns one and records its figures.

Each module defines ``run(quick=False)``, which returns a list of rows (dictionaries of plain
values), and may define ``plot(rows, path)``, which draws them to a PNG for the documentation. The
first line of its docstring is its title.
"""
