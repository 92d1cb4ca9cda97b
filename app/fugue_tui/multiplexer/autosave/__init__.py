"""Saves the workspace while it runs, on a thread of its own."""
