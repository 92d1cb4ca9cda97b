"""Saves the running workspace on its own thread."""
