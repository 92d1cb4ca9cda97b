"""What the user's keys do: key bindings, copy mode, the clipboard."""
