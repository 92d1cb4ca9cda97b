"""The MCP server: the same commands for agents. Importing this package loads nothing."""
