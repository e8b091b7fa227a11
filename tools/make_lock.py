"""Write deploy/requirements.lock: each package of the image with its version and the SHA-256 of its wheel.

    python tools/make_lock.py [--platform manylinux_2_28_x86_64] [--python 3.13]

Part of a release. The image then installs these files or none; without a lock it takes the newest versions.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("service",)


def main() -> None:
    """Resolve what the image needs, and write the lock."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", default="manylinux_2_28_x86_64")
    parser.add_argument("--python", default="3.13")
    parser.add_argument("--out", type=Path, default=ROOT / "deploy" / "requirements.lock")
    arguments = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for extra in EXTRAS for one in project["optional-dependencies"][extra])]
    platforms = (
        "--platform",
        arguments.platform,
        "--platform",
        "manylinux2014_x86_64",
        "--python-version",
        arguments.python,
    )
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--dry-run",
            "--quiet",
            "--ignore-installed",
            "--report",
            "-",
        ]
        options = ["--only-binary=:all:", *platforms, "--target", folder]
        done = subprocess.run([*command, *options, *wanted], stdout=subprocess.PIPE, check=True)
    arguments.out.write_text(lock_of(json.loads(done.stdout)), encoding="utf-8")
    print(arguments.out)


def lock_of(report: dict[str, Any]) -> str:
    """The lock for what pip reports; a package without a hash is an error."""
    lines = []
    for one in report["install"]:
        name, version = one["metadata"]["name"], one["metadata"]["version"]
        digest = one["download_info"]["archive_info"]["hashes"]["sha256"]
        lines.append(f"{name}=={version} --hash=sha256:{digest}\n")
    return "".join(sorted(lines, key=str.lower))


if __name__ == "__main__":
    main()
