"""Commands as data: JSON Schemas, argument checks, command text, tables."""
