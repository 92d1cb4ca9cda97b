"""Processes on pseudo-terminals, and the thread that reads and writes them."""
