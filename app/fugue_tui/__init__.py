"""A terminal workspace where people and AI agents share panes.

Importing this package loads nothing: every entry point imports only the packages it needs.
"""

__version__ = "0.1.0"
