"""Brings a saved workspace back, and decides what its panes run again."""
