"""The stdio bridge: joins an MCP client to a workspace's socket."""
