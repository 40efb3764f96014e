"""Rectangle indexes: VCR in all its schemes, and an R-tree."""
