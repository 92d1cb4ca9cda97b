"""The sideband's commands: from tags in a pane's output to commands, and the answers."""
