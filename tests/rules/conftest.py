"""For the tests of the rules: no test fails because the machine was busy."""

from hypothesis import settings

settings.register_profile("rules", deadline=None)
settings.load_profile("rules")
