"""The words of a report in Ukrainian, Russian and English, and numbers as each language writes them."""

from __future__ import annotations

import functools
import re
from importlib import resources
from typing import Any, Final

from infostream_dedup.errors import UsageError
from infostream_dedup.machine.phrase import BETWEEN, Phrase

UI_LANGUAGES: Final = ("uk", "ru", "en")


class Wording:
    """The words of one language."""

    def __init__(self, language: str, words: dict[str, str], sentences: dict[str, str]) -> None:
        self.language = language
        self._words, self._sentences = words, sentences

    def __call__(self, key: str, /, **values: object) -> str:
        """Return the words for a key, with values filled in."""
        return self._words[key].format(**values)

    def spoken(self, sentence: str) -> tuple[str, bool]:
        """Return a sentence in this language, and whether it was translated; otherwise it stays English."""
        if self.language == "en":
            return sentence, True
        if not isinstance(sentence, Phrase):
            return sentence, False
        if sentence.parts:
            said = [self.spoken(part) for part in sentence.parts]
            return (BETWEEN.join(text for text, _ in said), True) if all(own for _, own in said) else (sentence, False)
        if sentence.template not in self._sentences:
            return sentence, False
        values: dict[str, object] = {}
        for name, one in sentence.values.items():
            text, own = self.spoken(one) if isinstance(one, Phrase) else (self._value(name, one), True)
            if not own:
                return sentence, False
            values[name] = text
        return self._sentences[sentence.template].format(**values), True

    def _value(self, name: str, value: object) -> object:
        """Format a value in a sentence: a language by the right form of its name, a number with its decimal sign."""
        if isinstance(value, float):
            return _Comma(value)
        return self._words.get(f"{name}_{value}", value)

    def decimal(self, value: float | None, digits: int) -> str:
        """Format a number with a decimal point or comma; ``None`` becomes a dash."""
        return "–" if value is None else self._localised(f"{value:.{digits}f}")

    def percent(self, value: float | None) -> str:
        """Format a share, 0 to 1, as a percentage with one decimal; ``None`` becomes a dash."""
        return "–" if value is None else f"{self._localised(f'{100 * value:.1f}')}\N{NO-BREAK SPACE}%"

    def count(self, value: int | None) -> str:
        """Format a whole number with thousands separators; ``None`` becomes a dash."""
        return (
            "–" if value is None else f"{value:,}".replace(",", "," if self.language == "en" else "\N{NO-BREAK SPACE}")
        )

    def moment(self, time: object) -> str:
        """Format a day, or a day and minute: 2026-03-05 14:00 in English, 05.03.2026 14:00 in the others."""
        text = str(time)[:16].replace("T", " ")
        found = None if self.language == "en" else re.match(r"(\d{4})-(\d\d)-(\d\d)(?=$| )", text)
        return text if found is None else f"{found[3]}.{found[2]}.{found[1]}{text[10:]}"

    def _localised(self, number: str) -> str:
        return number if self.language == "en" else number.replace(".", ",")


class _Comma(float):
    """A number that formats itself with a decimal comma."""

    def __format__(self, how: str) -> str:
        return super().__format__(how).replace(".", ",")


@functools.cache
def wording_of(language: str) -> Wording:
    """Return the words of a language, which are read only once."""
    import orjson

    if language not in UI_LANGUAGES:
        raise UsageError(f"a report is written in {', '.join(UI_LANGUAGES)}, not in {language!r} (--ui-language)")
    data = (resources.files("infostream_dedup.report") / "locale" / f"{language}.json").read_bytes()
    found: dict[str, Any] = orjson.loads(data)
    return Wording(language, found["words"], found["sentences"])
