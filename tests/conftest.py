"""Settings that hold for all tests: Hypothesis profiles, chosen with HYPOTHESIS_PROFILE."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

settings.register_profile("default", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "ci", parent=settings.get_profile("default"), max_examples=60, derandomize=True, print_blob=True
)
settings.register_profile(
    "quick", parent=settings.get_profile("default"), phases=[Phase.explicit, Phase.reuse, Phase.generate]
)
settings.register_profile("thorough", parent=settings.get_profile("default"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default"))
