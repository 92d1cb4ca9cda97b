"""Selections in a terminal's text, and the cursor motions of copy mode."""
