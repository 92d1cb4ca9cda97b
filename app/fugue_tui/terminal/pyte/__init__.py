"""The portable fallback engine."""
