"""`fugue-tui setup`: registers Fugue with MCP clients."""
