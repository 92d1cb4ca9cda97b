"""What the app shows around the panes: palette, messages, help, status."""
