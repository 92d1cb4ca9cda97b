"""The stdio bridge: connects an MCP client to a workspace's socket."""
