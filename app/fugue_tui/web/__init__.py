"""The workspace in a browser: serves a page with a terminal, which attaches as one more client.

Only this package and `fugue_tui_mcp` import starlette and uvicorn.
"""
