"""The model as arrays: event batches in columns, rank space, derived attributes, conditions as programs."""
