"""Private files that outlive the program: saved workspaces and the texts of their panes. See `store.store`."""
