"""Split a string into tokens and sentences, and detect its language."""

from infostream_dedup.language.text.language import detect
from infostream_dedup.language.text.normalise import clean, fold
from infostream_dedup.language.text.sentences import sections, sentences
from infostream_dedup.language.text.tokens import Form, Shape, forms, surfaces

__all__ = ["Form", "Shape", "clean", "detect", "fold", "forms", "sections", "sentences", "surfaces"]
