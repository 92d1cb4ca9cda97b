"""Runs one command in a pane's shell: finds the prompt, types, and follows it to its end."""
