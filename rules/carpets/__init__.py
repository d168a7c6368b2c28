"""Fliegende Teppiche: thrown carpet cards (Adlung 2011)."""
