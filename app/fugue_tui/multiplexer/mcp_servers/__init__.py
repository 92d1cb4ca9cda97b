"""Other MCP servers that this workspace uses: their definitions, states and contents. Knows no MCP SDK."""
