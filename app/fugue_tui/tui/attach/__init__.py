"""Attached clients: who may attach, and where their input goes."""
