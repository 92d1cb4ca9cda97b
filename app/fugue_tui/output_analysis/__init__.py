"""Analyses what terminals print: tables and other structure, and the outcome of a command.

Pure functions over untrusted text: no processes, no files, no clock. Time and memory are bounded.
"""
