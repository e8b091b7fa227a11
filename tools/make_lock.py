"""Write what the image is made of: each package with its version, the SHA-256 of its wheel, and its licence.

    python tools/make_lock.py [--platform manylinux_2_28_x86_64] [--python 3.13]

Part of a release: deploy/requirements.lock (the image then installs these files or none; without a lock it takes the
newest versions), deploy/sbom.json (a bill of materials, CycloneDX 1.6) and deploy/licences.md.
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

from infostream_dedup.model.version import VERSION

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("service",)


def main() -> None:
    """Resolve what the image needs, and write the lock."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", default="manylinux_2_28_x86_64")
    parser.add_argument("--python", default="3.13")
    parser.add_argument("--out", type=Path, default=ROOT / "deploy", help="folder")
    arguments = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for extra in EXTRAS for one in project["optional-dependencies"][extra])]
    platforms = f"--platform {arguments.platform} --platform manylinux2014_x86_64 --python-version {arguments.python}"
    command = [sys.executable, *"-m pip install --dry-run --quiet --ignore-installed --report -".split()]
    with tempfile.TemporaryDirectory() as folder:
        options = ["--only-binary=:all:", *platforms.split(), "--target", folder]
        report = json.loads(subprocess.run([*command, *options, *wanted], stdout=subprocess.PIPE, check=True).stdout)
    rows = sorted((one["metadata"] for one in report["install"]), key=lambda one: one["name"].lower())
    table = [f"| {one['name']} | {one['version']} | {licence_of(one)} |\n" for one in rows]
    written = {
        "requirements.lock": lock_of(report),
        "sbom.json": json.dumps(bill_of(report), indent=1) + "\n",
        "licences.md": "".join(["| package | version | licence |\n|---|---|---|\n", *table]),
    }
    for name, text in written.items():
        (arguments.out / name).write_text(text, encoding="utf-8")
        print(arguments.out / name)


def lock_of(report: dict[str, Any]) -> str:
    """The lock for what pip reports; a package without a hash is an error."""
    lines = []
    for one in report["install"]:
        name, version = one["metadata"]["name"], one["metadata"]["version"]
        digest = one["download_info"]["archive_info"]["hashes"]["sha256"]
        lines.append(f"{name}=={version} --hash=sha256:{digest}\n")
    return "".join(sorted(lines, key=str.lower))


def bill_of(report: dict[str, Any]) -> dict[str, Any]:
    """The bill of materials of what pip reports, by the form of CycloneDX."""
    parts = []
    for one in sorted(report["install"], key=lambda one: str(one["metadata"]["name"]).lower()):
        told, found = one["metadata"], one["download_info"]["archive_info"]["hashes"]
        part = {"type": "library", "name": told["name"], "version": told["version"]}
        part["purl"] = f"pkg:pypi/{told['name'].lower().replace('_', '-')}@{told['version']}"
        licence = {"licenses": [{"license": {"name": licence_of(told)}}]}
        parts.append(part | licence | {"hashes": [{"alg": "SHA-256", "content": found["sha256"]}]})
    ours = {"type": "application", "name": "infostream-dedup", "version": VERSION}
    mark = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1}
    return mark | {"metadata": {"component": ours}, "components": parts}


def licence_of(metadata: dict[str, Any]) -> str:
    """The licence that a package declares: an expression, classifiers, or the first line of a text."""
    kinds = [one.rpartition(" :: ")[2] for one in metadata.get("classifier", ()) if one.startswith("License ::")]
    told = metadata.get("license_expression") or ", ".join(kinds) or metadata.get("license") or "not declared"
    return str(told).strip().splitlines()[0]


if __name__ == "__main__":
    main()
