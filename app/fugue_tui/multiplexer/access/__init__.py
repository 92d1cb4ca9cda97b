"""The questions that the user is asked before agents act, and the grants that answer later ones."""
