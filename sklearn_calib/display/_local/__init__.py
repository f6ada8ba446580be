"""Draw the local bias: a curve over one feature, or a surface over two."""
