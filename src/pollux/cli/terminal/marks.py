"""Stand-ins for our own marks on a terminal that has no letters for them.

Each is as wide as the mark, so that tables stay straight. Every other letter that the terminal lacks is written out,
as `\\u67b6`: so a reader can still find out which letter it was.
"""

from __future__ import annotations

import codecs

NAME = "pollux.marks"

STAND_INS = str.maketrans(
    {
        **dict(zip("▁▂▃▄▅▆▇█", "_.-=+*%#", strict=True)),
        **dict(zip("▏▎▍▌▋▊▉", "...||||", strict=True)),
        **dict(zip("░▒▓", ".:o", strict=True)),
        **dict(zip("·•…–—→▶", "-**-->>", strict=True)),
        **dict(zip("✓✗≥≤≠×★", "+x><!x*", strict=True)),
        **dict(zip("│─┼", "|-+", strict=True)),
        **dict(zip("’“”", '\'""', strict=True)),
    }
)


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    """What is written instead of letters that an encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end].translate(STAND_INS)
    return lacking.encode("ascii", "backslashreplace").decode("ascii"), error.end


codecs.register_error(NAME, _stand_in)
