"""Rows of cells as VT text for a host terminal."""
