"""Kernel-weighted means around query points."""
