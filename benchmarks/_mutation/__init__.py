"""Small faults put into the package on purpose, and the tests that should notice them."""
