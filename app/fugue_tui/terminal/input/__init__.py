"""Keys, mouse and pastes as the bytes that a program is sent."""
