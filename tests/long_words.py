"""Frequent Russian words, of which tests make up news."""

from itertools import islice

from infostream_dedup.language.lexicon.frequency import common_forms

LONG_WORDS = [form for form, _ in islice(common_forms("ru"), 11_000) if len(form) > 4 and form.isalpha()]
