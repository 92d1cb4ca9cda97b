"""The way from a caller to a command: policy, audit, idempotency, and the gateway for other threads."""
