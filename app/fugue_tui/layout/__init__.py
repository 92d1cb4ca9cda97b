"""The layout of a window: an immutable ratio tree, its edits and its solver. Pure; no terminals, no screens."""
