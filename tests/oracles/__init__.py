"""Second opinions, written from the rules text alone: slow, naive, and easy to check by reading."""
