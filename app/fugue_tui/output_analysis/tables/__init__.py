"""Finds tables in text, with and without borders."""
