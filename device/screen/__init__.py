"""The connected screen: what happens at the table, shown on a television, a tablet or a phone."""
