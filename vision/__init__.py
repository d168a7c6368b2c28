"""Frames in, a `Scene` in millimetres out. Knows no rules, no files, no screens."""
