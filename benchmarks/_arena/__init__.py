"""Parts of the arena: data, methods and tables."""
