"""What every test shares: how Hypothesis explores."""

import os

from hypothesis import settings

# The machine may be busy, so no example has a deadline; a build that decides whether a change
# lands must not depend on chance, so there the examples are the same each time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
