"""What both engines promise, their events, and what they share."""
