"""The state of a workspace as frozen values."""
