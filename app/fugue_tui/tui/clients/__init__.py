"""One attached terminal: its link, capabilities, replies and input."""
