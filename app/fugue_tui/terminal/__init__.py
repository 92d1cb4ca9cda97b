"""One program on a PTY and the screen it draws. No panes, no layouts, no widgets."""
