"""Classifies what became of a command by its words, exit code and output."""
