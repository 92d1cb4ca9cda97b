"""Makes sense of what terminals print: structure out of tables, and what became of a command.

Pure functions over text that nobody vouches for: no processes, no files, no clock. Work is bounded in time and memory.
"""
