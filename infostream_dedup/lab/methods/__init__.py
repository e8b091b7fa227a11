"""Every method of the source papers, in a file per family, found by a registry.

Example:
    >>> from infostream_dedup.model import Document
    >>> news = ["Снег выпал вчера в Киеве.", "Снег выпал вчера в Киеве!"]
    >>> texts = Texts([Document(id=str(number), text=text) for number, text in enumerate(news)])
    >>> found = method("md5").run(texts)
    >>> found.pairs.a.tolist(), found.pairs.b.tolist(), found.bytes_per_document
    ([0], [1], 16.0)
"""

from infostream_dedup.lab.methods.method import Method, Pairs, Run, Texts, method, method_class, methods

__all__ = ["Method", "Pairs", "Run", "Texts", "method", "method_class", "methods"]
