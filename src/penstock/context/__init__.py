"""Conditions that refer to contexts whose values change, and messages routed by them."""

from penstock.context.counters import Counters
from penstock.context.filter import ContextFilter, Message, Update

__all__ = ["ContextFilter", "Counters", "Message", "Update"]
