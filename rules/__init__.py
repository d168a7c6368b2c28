"""Scenes and answers in, rulings and questions out. Knows no pixels, no clock, no I/O."""
