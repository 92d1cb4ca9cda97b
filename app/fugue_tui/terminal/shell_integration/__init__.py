"""Shells that mark their prompts by OSC 133: the scripts, and the log of commands made of the marks."""
