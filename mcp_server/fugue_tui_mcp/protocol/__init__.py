"""MCP itself: handlers, tools, resources, prompts, subscriptions. Importing its modules imports the SDK."""
