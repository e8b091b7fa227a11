"""Split a string into tokens and sentences, and detect its language."""

from infostream_dedup.text.language import detect
from infostream_dedup.text.normalise import clean, fold
from infostream_dedup.text.sentences import sentences
from infostream_dedup.text.tokens import Form, Shape, forms, surfaces

__all__ = ["Form", "Shape", "clean", "detect", "fold", "forms", "sentences", "surfaces"]
