"""What is asked of arguments, and how errors name them."""
