"""Makes messages readable that hold what JSON can say and Unicode cannot."""

import re

# An escape that is half of a pair, a whole pair, or any other; read from left to right, so
# that an escaped backslash never begins one.
_ESCAPE = re.compile(
    r"\\(?:(?P<pair>u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def without_surrogates(message: str) -> str:
    """Replaces each escape of half a surrogate pair by one of NUL.

    Parsers refuse such a message as a whole, without telling whose it was, so that its sender
    would wait for ever. NUL is refused too, but where an answer can name the argument.
    """
    if "\\ud" not in message and "\\uD" not in message:
        return message
    return _ESCAPE.sub(lambda found: r"\u0000" if found["half"] else found[0], message)
