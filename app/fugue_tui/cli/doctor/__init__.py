"""`fugue-tui doctor`: examines the installation, the terminal and the MCP clients, and suggests what to do."""
