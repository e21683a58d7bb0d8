"""Settings of all tests."""

from hypothesis import settings

# A busy machine is no failure; time is measured in benchmarks, not in tests.
settings.register_profile("treewright", deadline=None)
settings.load_profile("treewright")
