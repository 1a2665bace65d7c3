"""What a text of code imports, includes or requires, by the words that languages have for it."""

from __future__ import annotations

import re

_IMPORT = re.compile(
    r"^[ \t>]*(?:import[ \t]+(?:static[ \t]+)?|from[ \t]+|using[ \t]+|use[ \t]+|#include[ \t]*[<\"]|"
    r"(?:const|let|var)[ \t]+[\w{}, \t]{1,80}=[ \t]*require\(['\"])([A-Za-z_][\w./-]{0,80})",
    re.MULTILINE,
)


def imported(text: str) -> set[str]:
    """The first part of every name that a text imports: `os` of `import os.path`."""
    return {re.split(r"[./]", name)[0] for name in _IMPORT.findall(text)}
