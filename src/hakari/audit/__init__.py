"""Leakage of training data into tasks: a defined, exact, resumable scan, and training data that cannot leak."""
