"""Tables with a checksum that shows whether they are intact.

A table written by one of our commands begins with a comment that contains the checksum of the rest. The dictionaries of
the package have theirs in the list of files that every installed wheel carries.
"""

from __future__ import annotations

import base64
from functools import cache
from hashlib import blake2b, sha256
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Final

from infostream_dedup.errors import BadDataError

_SEAL: Final = b"# checksum "
_BYTES: Final = 16
_PACKAGE: Final = "infostream-dedup"
_INSTALLED: Final = "_dictionaries"
_ADVICE: Final = "import it again, or if you edited it, remove the line with the checksum"


def sealed(table: bytes) -> bytes:
    """Return a table with its checksum as the first line."""
    return _SEAL + blake2b(table, digest_size=_BYTES).hexdigest().encode() + b"\n" + table


def checked_bytes(path: Path, advice: str = _ADVICE) -> bytes:
    """Return the content of a table, if it is intact; a table without a checksum is returned as it is."""
    content = path.read_bytes()
    if content.startswith(_SEAL):
        seal, _, table = content.partition(b"\n")
        if seal.removeprefix(_SEAL).strip() != blake2b(table, digest_size=_BYTES).hexdigest().encode():
            raise _damaged(path, advice)
    recorded = _recorded().get(path.name) if path.parent.name == _INSTALLED else None
    if recorded is not None and recorded != sha256(content).digest():
        raise _damaged(path, "install infostream-dedup again")
    return content


@cache
def _recorded() -> dict[str, bytes]:
    """Return the SHA-256 of each dictionary of an installed wheel; nothing in a checkout."""
    try:
        listed = files(_PACKAGE) or ()
    except PackageNotFoundError:
        return {}
    found = {}
    for one in listed:
        if one.hash is not None and one.hash.mode == "sha256" and one.parent.name == _INSTALLED:
            found[one.name] = base64.urlsafe_b64decode(one.hash.value + "=")
    return found


def _damaged(path: Path, advice: str) -> BadDataError:
    return BadDataError(
        f"the table does not match its checksum; {advice}", code="E_DICTIONARY", source=path.name, field="checksum"
    )
