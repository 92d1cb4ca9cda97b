"""Validates JSON and TOML values by the annotations of dataclasses, and writes their JSON Schema."""
