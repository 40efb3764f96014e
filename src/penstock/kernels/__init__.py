"""Compiled loops over arrays. They see only numpy and numba; each has a naive twin in the tests."""
