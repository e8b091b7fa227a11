"""Compiles the kernels while pip builds a wheel: all levels of processors, or one for an editable installation."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

from kernel_compiler import found_compiler, levels_of_machine


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the compiled kernels to the wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Zig has a C++ compiler for machines that have none."""
        return [] if found_compiler() or self.target_name != "wheel" else ["ziglang>=0.13"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; for an editable installation beside the sources, where Python looks for the package."""
        if self.target_name != "wheel":
            return
        here = levels_of_machine()
        levels = here[-1:] if version == "editable" else here if here == ["portable"] else ["v2", "v3", "v4"]
        command = [sys.executable, str(Path(self.root) / "native" / "kernel_compiler.py"), "--levels", ",".join(levels)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603
        if done.returncode:
            raise SystemExit(done.stderr or done.stdout)
        build_data["artifacts"] += [f"infostream_dedup/machine/_kernels_{level}.abi3.so" for level in levels]
        build_data["pure_python"] = False
        machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"cp311-abi3-{machine}"
