"""Recordings of terminals in the asciicast format: written, rotated and read. Imports nothing of panes or screens."""
