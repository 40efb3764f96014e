"""What matching means, in plain Python: values, events, conditions, and the reference evaluator."""
