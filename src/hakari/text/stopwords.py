"""Words that are left out of the terms of a text."""

_ENGLISH = """
a an and are as at be been being but by for from had has have he her hers him his i if in into is it its
itself me my myself of on or our ours ourselves she so than that the their theirs them themselves then there
these they this those to too up very was we were what when where which who whom why will with you your yours
yourself yourselves
"""
_LANGUAGES_OF_CODE = """
cpp csharp golang haskell java javascript kotlin perl php python ruby scala typescript
"""

ENGLISH = frozenset(_ENGLISH.split())
"""The stop words of the published protocol for English."""

LANGUAGES_OF_CODE = frozenset(_LANGUAGES_OF_CODE.split())
"""Names of programming languages that mean nothing else in code.

Queries name their language and documents hardly ever do, so that its rarity would pass for relevance.
"""
