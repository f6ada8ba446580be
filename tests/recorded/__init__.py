"""Numbers that the package gave when they were recorded, and must go on giving."""
