"""What is wrong with an argument, for every argument of every public callable."""
