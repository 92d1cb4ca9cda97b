"""What is on a screen, as plain values: cells, styles, damage, pins."""
