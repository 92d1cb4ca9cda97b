"""Parses the input of a host terminal."""
