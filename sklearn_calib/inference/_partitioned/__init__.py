"""Tests of rows that Dask holds in partitions."""
