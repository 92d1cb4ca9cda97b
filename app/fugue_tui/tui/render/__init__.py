"""Paints the screen on every attached terminal."""
