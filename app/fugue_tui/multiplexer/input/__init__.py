"""The input of commands to panes, in turns, and the priority of the user's own."""
