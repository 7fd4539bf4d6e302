"""The world's time and chance."""

import secrets
import string
import time

from pincite.domain.stamps import Stamp

_LETTERS = string.ascii_letters + string.digits
_UNMISTAKABLE = "23456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH = 12
_SECRET_LENGTH = 40


class SystemClock:
    """The machine's clock."""

    def now(self) -> Stamp:
        """The present time, in whole milliseconds."""
        return Stamp(time.time_ns() // 1_000_000)


class RandomIds:
    """Names and secrets out of the system's randomness."""

    def new_id(self) -> str:
        """58 bits in letters and digits that people do not mix up."""
        return "".join(secrets.choice(_UNMISTAKABLE) for _ in range(_ID_LENGTH))

    def new_secret(self) -> str:
        """238 bits in letters and digits."""
        return "".join(secrets.choice(_LETTERS) for _ in range(_SECRET_LENGTH))
