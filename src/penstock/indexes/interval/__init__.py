"""Interval indexes: VCI in all its schemes, direct listing, and the interval skip list."""
