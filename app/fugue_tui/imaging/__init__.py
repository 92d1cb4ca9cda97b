"""Pictures of a screen: cells to SVG and PNG, and what differs between two. Imported when the first is asked for."""
