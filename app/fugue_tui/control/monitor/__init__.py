"""Monitors agents by rules, and records what teams do."""
