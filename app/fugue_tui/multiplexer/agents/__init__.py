"""The agents in panes and what each of them does."""
