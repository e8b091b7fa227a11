"""Runs the tests with the genuine argostranslate and writes its part of cross-language.md: ``make test-translate``."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Any

import pytest
from frame import REPORTS, table_of, write_part

PACKAGES = ("argostranslate", "torch", "stanza", "minisbd", "ctranslate2", "sentencepiece")


class Outcomes:
    """What pytest reports of each test."""

    def __init__(self) -> None:
        self.tests: list[tuple[str, str]] = []
        self.words: list[tuple[str, str, str]] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Record an outcome; called by pytest after each phase of a test."""
        if report.when == "call" or report.outcome != "passed":
            self.tests.append((report.nodeid.rpartition("::")[2], report.outcome))
            self.words.extend(row for name, row in report.user_properties if name == "words")


def page(outcomes: Outcomes) -> str:
    """Make the whole report."""
    passed = sum(outcome == "passed" for _, outcome in outcomes.tests)
    packages = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    return f"""{packages}.

The tests marked `translate` install the tiny models of `tests/translation/fixtures` both by argostranslate and by
`install_model`, and translate by both, without a network. {passed} passed, {len(outcomes.tests) - passed} failed.

{table_of(("test", "outcome"), [(f"`{name}`", outcome) for name, outcome in outcomes.tests])}

Greedy on both sides; argostranslate with its sentence splitter replaced, because its own goes on line at the first
call. The last five words go through English.
A dash: words of time are not terms.

{table_of(("word", "argostranslate", "our rung"), list(outcomes.words))}
"""


def main() -> int:
    """Run the tests, write the report and exit with pytest's exit code."""
    outcomes = Outcomes()
    code = pytest.main(
        ["-m", "translate", str(REPORTS.parent / "tests" / "translation" / "test_genuine_argos.py"), *sys.argv[1:]],
        plugins=[outcomes],
    )
    if outcomes.words:
        title, parts = "The genuine argostranslate", [page(outcomes).strip()]
        write_part("cross-language.md", "translate", title, "make test-translate", parts)
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
