"""What the camera knows before it looks: the decks that ship with Kibitz (and, one day, trained networks)."""
