"""Output to a host terminal: paints panes, compares rows, writes without blocking."""
