"""Parses what programs print: JSON, key-value blocks, delimited text, documented line formats."""
