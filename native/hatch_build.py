"""Compiles the kernels while pip builds a wheel: all levels of processors, or one for an editable installation.

``INFOSTREAM_DEDUP_WHEEL`` names another kind of machine, by the tag of its wheels; Zig compiles for all of them.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

from kernel_compiler import WHEELS, found_compiler, levels_of_machine, levels_of_wheel


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the compiled kernels to the wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Zig has a C++ compiler for machines that have none."""
        needed = self.target_name == "wheel" and (_other() is not None or not found_compiler())
        return ["ziglang>=0.13"] if needed else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; for an editable installation beside the sources, where Python looks for the package."""
        if self.target_name != "wheel":
            return
        tag = _other()
        levels = levels_of_wheel(tag or _tag())
        command = [sys.executable, str(Path(self.root) / "native" / "kernel_compiler.py")]
        if version == "editable":
            command += ["--levels", levels_of_machine()[-1]]
        else:
            self._made = tempfile.TemporaryDirectory()
            command += ["--folder", self._made.name, "--levels", ",".join(levels)]
        command += ["--wheel", tag] if tag else []
        done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603
        if done.returncode:
            raise SystemExit(done.stderr or done.stdout)
        if version != "editable":
            for made in Path(self._made.name).iterdir():
                build_data["force_include"][str(made)] = f"infostream_dedup/machine/{made.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{tag or _tag()}"

    def finalize(self, *_: object) -> None:
        """Remove what is in the wheel now."""
        if hasattr(self, "_made"):
            self._made.cleanup()


def _other() -> str | None:
    """Tag of the wheel if Zig compiles for a named machine: for another one, and always on Windows."""
    tag = os.environ.get("INFOSTREAM_DEDUP_WHEEL") or ("win_amd64" if sys.platform == "win32" else None)
    if tag is not None and tag not in WHEELS:
        raise SystemExit(f"INFOSTREAM_DEDUP_WHEEL is {tag}; known are {', '.join(WHEELS)}")
    return tag


def _tag() -> str:
    if sys.platform == "darwin":
        # Python may be for two kinds of processors, and for older systems; our code is for one.
        oldest = os.environ.setdefault("MACOSX_DEPLOYMENT_TARGET", "11.0")
        return f"macosx_{oldest.replace('.', '_')}_{platform.machine()}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
