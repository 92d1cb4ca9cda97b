"""The MCP client: connections to other servers. Importing `pool` imports no SDK; the rest does."""
