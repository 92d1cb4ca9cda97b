"""Measures Fugue beside tmux, in one run on one machine: `python -m bench`."""
