"""What happens in the workspace, as events: from panes and state changes to a bounded log."""
