"""The lab: the papers' experiments, run at a scale of choice, drawn, and set beside what the papers claim."""
