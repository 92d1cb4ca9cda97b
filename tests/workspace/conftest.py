"""Time is no matter for these tests: a busy machine does not fail them."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
