"""The rules, as tables: a module for each kind of thing that goes right or wrong."""
