"""Who may do what: names, roles and hashes of tokens in a file.

A line of the file is ``NAME ROLE SHA256 CHECKSUM``, in hexadecimal digits; lines that begin with # are notes. Lines
written by hand need no checksum. The token itself is 256 random bits, shown once when it is made and not stored.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from infostream_dedup.errors import BadDataError, CannotWriteError, ConfigurationError, NoInputError
from infostream_dedup.machine.private_files import make_private_file

__all__ = ["LOCAL", "ROLES", "Caller", "Tokens", "add_token", "read_tokens"]

ROLES: Final[Mapping[str, frozenset[str]]] = {
    "reader": frozenset({"reader"}),
    "analyst": frozenset({"reader", "analyst"}),
    "writer": frozenset({"reader", "writer"}),
    "admin": frozenset({"reader", "analyst", "writer", "admin"}),
}
"""What each role may do, in terms of roles."""

_NAME: Final = re.compile(r"[\w.-]{1,64}")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_CHECKSUM_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends a request.

    Attributes:
        name: as in the token file.
        role: one of ``ROLES``.
    """

    name: str
    role: str

    def may(self, role: str) -> bool:
        """Whether the caller may do what a role may."""
        return role in ROLES[self.role]


LOCAL: Final = Caller("local", "admin")
"""The one person of a service without tokens, which only its own machine can reach."""


class Tokens:
    """The callers by the hash of their tokens."""

    def __init__(self, callers: Mapping[str, Caller]) -> None:
        self._callers = dict(callers)

    def caller(self, token: str) -> Caller | None:
        """Find whose token it is, in a time that does not reveal how much of it is right."""
        digest = hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
        found = None
        for known, caller in self._callers.items():
            if secrets.compare_digest(known, digest):
                found = caller
        return found

    def callers(self) -> list[Caller]:
        """Everybody who has a token, by name."""
        return sorted(self._callers.values(), key=lambda caller: caller.name)


def read_tokens(path: Path) -> Tokens:
    """Read a token file.

    Raises:
        NoInputError: there is no such file.
        BadDataError: a line is not a name, a role and a hash, or differs from its checksum.
        ConfigurationError: others can write the file, or it lists nobody.
    """
    try:
        text, status = path.read_text(encoding="utf-8"), path.stat()
    except OSError as error:
        raise NoInputError(f"{path}: {error.strerror or error}; make one with 'serve --new-token NAME'") from None
    except UnicodeDecodeError:
        raise BadDataError("not text in UTF-8", code="E_ENCODING", source=str(path)) from None
    if hasattr(os, "getuid") and status.st_mode & 0o022:
        raise ConfigurationError(f"{path}: others can write this file; run chmod 600 on it")
    callers = {}
    for number, line in enumerate(text.splitlines(), start=1):
        # A single changed bit can turn somebody's line into a comment.
        if line.strip() and (not line.startswith("#") or (len(line.split()) == 4 and _HASH.search(line))):
            name, role, digest = _parts(line, str(path), number)
            callers[digest] = Caller(name, role)
    if not callers:
        raise ConfigurationError(f"{path}: nobody has a token; make one with 'serve --new-token NAME'")
    return Tokens(callers)


def add_token(path: Path, name: str, role: str) -> str:
    """Make a token for somebody and add its hash to a token file, which is made if missing.

    Returns:
        The token; it cannot be recovered from the file.

    Raises:
        ConfigurationError: the name has characters other than letters, digits, dot, hyphen and underscore, or there is
            no such role.
        CannotWriteError: the file cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise ConfigurationError(f"{name!r} cannot name a token; use 1 to 64 letters, digits, dots or hyphens")
    if role not in ROLES:
        raise ConfigurationError(f"{role!r} is not a role; expected {', '.join(ROLES)}")
    token = secrets.token_urlsafe(32)
    digest = hashlib.sha256(token.encode()).hexdigest()
    try:
        if not path.exists():
            make_private_file(path)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(f"{name} {role} {digest} {_checksum(name, role, digest)}\n")
    except OSError as error:
        raise CannotWriteError(f"{path}: {error.strerror or error}") from None
    return token


def _parts(line: str, source: str, number: int) -> tuple[str, str, str]:
    name, role, digest, *checksum = (*line.split(), "", "", "")[: max(3, len(line.split()))]
    if len(checksum) > 1 or not _NAME.fullmatch(name) or role not in ROLES or not _HASH.fullmatch(digest):
        message = f"expected a name, a role ({', '.join(ROLES)}) and a SHA-256 in hexadecimal digits"
        raise BadDataError(message, code="E_TOKEN", source=source, line=number)
    if checksum and checksum[0] != _checksum(name, role, digest):
        message = "the line differs from its checksum; make a new token, or leave out the last column if you changed it"
        raise BadDataError(message, code="E_TOKEN", source=source, line=number)
    return name, role, digest


def _checksum(name: str, role: str, digest: str) -> str:
    return hashlib.sha256(f"{name} {role} {digest}".encode()).hexdigest()[:_CHECKSUM_DIGITS]
