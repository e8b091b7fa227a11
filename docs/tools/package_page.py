"""The page of the package: README.md, with addresses once ``INFOSTREAM_DEDUP_HOME`` names the repository.

    INFOSTREAM_DEDUP_HOME=https://example.org/owner/infostream-dedup python -m build

A package page has no folder beside it, so the links become addresses in the repository, at the tag of the release.
Without a home they stay as they are, and the package names no addresses.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class PageHook(MetadataHookInterface):
    """Adds the page and the addresses."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Read README.md, and make its links absolute if the repository has an address."""
        home, page = os.environ.get("INFOSTREAM_DEDUP_HOME", "").rstrip("/"), Path(self.root, "README.md")
        text = page.read_text(encoding="utf-8")
        if home:
            version = Path(self.root, "infostream_dedup/model/version.py").read_text(encoding="utf-8").split('"')[-2]
            pages = {"Documentation": "docs/README.md", "Changes": "CHANGELOG.md", "Security": "SECURITY.md"}
            urls = {name: f"{home}/blob/v{version}/{path}" for name, path in pages.items()}
            text, metadata["urls"] = absolute(text, home, f"v{version}"), {"Source": home, **urls}
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def absolute(text: str, home: str, tag: str) -> str:
    """The text with the links to files of the repository as addresses."""

    def link(found: re.Match[str]) -> str:
        kind = "raw" if found[1].endswith((".png", ".svg")) else "blob"
        return f"]({home}/{kind}/{tag}/{found[1]})"

    return re.sub(r"\]\((?!https?:|#|mailto:)([^)\s]+)\)", link, text)
