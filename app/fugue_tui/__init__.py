"""A terminal workspace where people and AI agents share panes.

Importing this package loads nothing: every door imports only the rooms it needs.
"""

__version__ = "0.1.0"
