"""The files of deploy/: each names what exists, and an image's steps work for a user who may write nowhere else."""

import asyncio
import configparser
import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError, UsageError
from infostream_dedup.service import server
from infostream_dedup.service.logs import Metrics
from infostream_dedup.service.server import tell_system

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


def lines_of(name: str) -> list[str]:
    text = (DEPLOY / name).read_text("utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def test_the_dashboard_shows_figures_that_the_service_has() -> None:
    metrics = Metrics()
    metrics.answered("/", 200, 0.1)
    page = metrics.page().decode()
    known = set(re.findall(r"^# TYPE (infostream_dedup\S+) ", page, re.MULTILINE))
    assert "\nprocess_resident_memory_bytes " in page
    known |= {f"{name}_bucket" for name in known}
    dashboard = json.loads((DEPLOY / "grafana.json").read_bytes())
    asked = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"infostream_dedup_\w+", target["expr"])
    }
    assert asked <= known
    # What the service counts is on the dashboard, too.
    assert {name for name in known if not name.endswith(("_bucket", "_created"))} <= asked | {
        name.removesuffix("_bucket") for name in asked
    }
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def test_the_image_ends_as_a_user_without_rights_and_has_a_health_check() -> None:
    lines = lines_of("Dockerfile")
    words = [line.split()[0] for line in lines]
    assert set(words) <= set("FROM ARG WORKDIR COPY RUN USER VOLUME EXPOSE HEALTHCHECK CMD ENV".split())
    assert words.count("FROM") == 2
    # Each architecture gets a wheel that can be built.
    kinds = re.findall(r"kind=(\w+)", (DEPLOY / "Dockerfile").read_text("utf-8"))
    compiler = (DEPLOY.parent / "native" / "kernel_compiler.py").read_text("utf-8")
    assert len(kinds) == 2
    assert all(f'"{kind}":' in compiler for kind in kinds)
    (user,) = (line.split()[1] for line in lines if line.startswith("USER"))
    assert any(f"useradd --uid 10001 --no-create-home --home-dir /nonexistent {user}" in line for line in lines)
    assert words.index("USER") < words.index("CMD")
    (command,) = (json.loads(line.removeprefix("CMD")) for line in lines if line.startswith("CMD"))
    assert command[:2] == ["infostream-dedup", "serve"]
    (check,) = (line for line in lines if line.startswith("HEALTHCHECK"))
    assert "infostream_dedup.service.probe" in check


def test_the_composition_has_what_it_names() -> None:
    yaml = pytest.importorskip("yaml")
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    engine = found["services"]["engine"]
    assert engine["read_only"] is True
    assert engine["cap_drop"] == ["ALL"]
    assert all(service["init"] is True for service in found["services"].values())
    assert engine["restart"] == "unless-stopped"
    assert all(port.startswith("127.0.0.1:") for port in engine["ports"])
    assert {volume.split(":")[0] for volume in engine["volumes"]} <= set(found["volumes"])
    assert set(engine["secrets"]) <= set(found["secrets"])
    assert (DEPLOY / engine["build"]["context"] / engine["build"]["dockerfile"]).exists()
    feed = found["services"]["feed"]
    assert (feed["image"], feed["depends_on"]) == (engine["image"], {"engine": {"condition": "service_healthy"}})
    assert feed["command"][:4] == ["python", "-P", "-m", "infostream_dedup.service.sample"]
    assert set(feed["secrets"]) <= set(found["secrets"])
    # The image's /prometheus is nobody's (65534) and writable by that group.
    assert found["services"]["prometheus"]["user"] == "10001:65534"
    scraped = yaml.safe_load(found["configs"]["prometheus"]["content"])["scrape_configs"][0]
    assert scraped["authorization"]["credentials_file"] == "/run/secrets/metrics"
    assert scraped["static_configs"][0]["targets"][0] in engine["command"][engine["command"].index("--hosts") + 1]
    for service in found["services"].values():
        assert {one["source"] for one in service.get("configs", ())} <= set(found["configs"])
        local = [one.partition(":")[0] for one in service.get("volumes", ())]
        assert all((DEPLOY / one).exists() if one.startswith(".") else one in found["volumes"] for one in local)
    # Every setting of the example is one that the composition reads.
    names = re.findall(r"^([A-Z_]+)=", (DEPLOY / "env.example").read_text("utf-8"), re.MULTILINE)
    assert set(names) == set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text("utf-8")))


def test_the_unit_keeps_the_service_in() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / "infostream-dedup.service")
    service = unit["Service"]
    assert service["ExecStart"].startswith("/opt/infostream-dedup/bin/infostream-dedup serve --store ")
    for name, value in {"DynamicUser": "yes", "ProtectSystem": "strict", "NoNewPrivileges": "yes"}.items():
        assert service[name] == value
    assert int(service["TimeoutStopSec"]) >= 60
    for_ever = (UsageError, BadDataError, NoInputError, ConfigurationError)
    assert set(map(int, service["RestartPreventExitStatus"].split())) == {kind.exit_code for kind in for_ever}


def test_what_is_deployed_keeps_the_texts_that_its_pages_show() -> None:
    (command,) = (line for line in lines_of("Dockerfile") if line.startswith("CMD"))
    assert "--keep-text" in json.loads(command.removeprefix("CMD"))
    unit = (DEPLOY / "infostream-dedup.service").read_text("utf-8")
    (start,) = (line for line in unit.splitlines() if line.startswith("ExecStart="))
    assert "--keep-text" in start.split()
    # The other command that the composition suggests.
    assert "--keep-text" in (DEPLOY / "compose.yaml").read_text("utf-8")


def test_secrets_stay_out_of_images_and_commits() -> None:
    secrets = re.findall(r"file: \./(\S+)", (DEPLOY / "compose.yaml").read_text("utf-8"))
    assert sorted(secrets) == ["feed-token", "metrics-token", "tokens"]
    for ignored in (".dockerignore", ".gitignore"):
        lines = (DEPLOY.parent / ignored).read_text("utf-8").splitlines()
        assert {f"deploy/{name}" for name in secrets} <= set(lines), ignored


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    text = (DEPLOY / "infostream-dedup.service").read_text("utf-8")
    unit = tmp_path / "infostream-dedup.service"
    unit.write_text(text.replace("/opt/infostream-dedup/bin/infostream-dedup", "/bin/true"), "utf-8")
    checked = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_systemd_is_told_that_the_service_still_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = (DEPLOY / "infostream-dedup.service").read_text("utf-8")
    (seconds,) = re.findall(r"^WatchdogSec=(\d+)$", unit, re.MULTILINE)
    assert int(seconds) >= 30 * server._LAG_SECONDS
    monkeypatch.setattr(server, "_LAG_SECONDS", 0.01)
    name = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(name)
        heard.settimeout(10)
        monkeypatch.setenv("NOTIFY_SOCKET", name)

        async def answering() -> None:
            watch = asyncio.ensure_future(server._watch_lag(Metrics()))
            await asyncio.to_thread(heard.recv, 100)
            assert await asyncio.to_thread(heard.recv, 100) == b"WATCHDOG=1"
            watch.cancel()

        asyncio.run(answering())


def test_systemd_is_told_when_the_service_is_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    tell_system("READY=1")
    for name in (str(tmp_path / "notify"), f"\0infostream-dedup-{os.getpid()}"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
            heard.bind(name)
            heard.settimeout(10)
            monkeypatch.setenv("NOTIFY_SOCKET", name.replace("\0", "@"))
            tell_system("READY=1")
            assert heard.recv(100) == b"READY=1"


def test_a_lock_names_every_package_with_its_hash() -> None:
    spec = importlib.util.spec_from_file_location("make_lock", DEPLOY.parent / "tools" / "make_lock.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def installed(name: str, **hashes: str) -> dict[str, object]:
        return {"metadata": {"name": name, "version": "1"}, "download_info": {"archive_info": {"hashes": hashes}}}

    lock = module.lock_of({"install": [installed("b", sha256="22"), installed("A", sha256="11")]})
    assert lock == "A==1 --hash=sha256:11\nb==1 --hash=sha256:22\n"
    with pytest.raises(KeyError):
        module.lock_of({"install": [installed("c")]})
