"""Tests of the Spark room."""
