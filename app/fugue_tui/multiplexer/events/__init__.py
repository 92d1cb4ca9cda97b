"""Events of panes and of the workspace's state, and their bounded log."""
