"""Languages as mteb writes them: three letters and the script, `eng-Latn`."""

from __future__ import annotations

_LATIN = {
    "en": "eng", "da": "dan", "de": "deu", "es": "spa", "fi": "fin", "fr": "fra", "id": "ind", "it": "ita",
    "lt": "lit", "lv": "lav", "nl": "nld", "no": "nor", "pl": "pol", "pt": "por", "sk": "slk", "sl": "slv",
    "sv": "swe", "vi": "vie", "tr": "tur", "cs": "ces", "hu": "hun", "ro": "ron", "sw": "swa", "et": "est",
    "ca": "cat", "hr": "hrv",
}  # fmt: skip
_OTHERS = {
    "ar": "ara-Arab", "as": "asm-Beng", "bn": "ben-Beng", "el": "ell-Grek", "fa": "fas-Arab", "gu": "guj-Gujr",
    "hi": "hin-Deva", "ja": "jpn-Jpan", "kn": "kan-Knda", "ko": "kor-Hang", "ml": "mal-Mlym", "mr": "mar-Deva",
    "or": "ory-Orya", "pa": "pan-Guru", "ru": "rus-Cyrl", "sr": "srp-Cyrl", "ta": "tam-Taml", "te": "tel-Telu",
    "th": "tha-Thai", "zh": "cmn-Hans", "uk": "ukr-Cyrl", "bg": "bul-Cyrl", "he": "heb-Hebr", "ur": "urd-Arab",
}  # fmt: skip


def language_script(language: str | None) -> list[str]:
    """The language of a task as a list of one; empty where it is not known or there are several."""
    if language in _LATIN:
        return [f"{_LATIN[language]}-Latn"]
    return [_OTHERS[language]] if language in _OTHERS else []
