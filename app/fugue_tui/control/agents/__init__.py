"""Finds the agents in panes, and tells from several signals what each of them does."""
