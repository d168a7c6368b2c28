"""Rendered dice on rendered tables, and the two small networks that learn from them."""
