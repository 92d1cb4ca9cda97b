"""Layout files: finding, reading, writing, and opening them as windows and panes."""
