"""The MCP face: the same commands for agents. Importing this package loads nothing."""
