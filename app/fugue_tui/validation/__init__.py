"""Validates JSON and TOML values by the annotations of structs, and writes their JSON Schema."""
