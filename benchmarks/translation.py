"""Measures translating the vocabulary of a large trilingual stream by the ladder, without a translation model.

    python -m benchmarks.translation --lemmas 100000 --out translation.json

The vocabulary consists of the terms of the most frequent words of each language, as many as needed; most of them are
rare names, as in a stream. The cold run comes first: every index is built, every rung asked, every answer written to
the cache. The warm run translates the same vocabulary in a new process. Both compute the equivalents of all three
languages in one pivot space, in both directions. The terms of the words are computed, and kept in the cache of forms,
beforehand, because they belong to reading.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

LANGUAGES = ("ru", "uk", "en")


def main() -> None:
    """Make the vocabulary, translate it cold and warm in separate processes, print and store the rows."""
    arguments = _arguments()
    if arguments.vocabulary:
        print(json.dumps(_measure_translation(arguments.vocabulary)))
        return
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "INFOSTREAM_DEDUP_CACHE": folder}
        os.environ["INFOSTREAM_DEDUP_CACHE"] = folder
        words = {language: _make_vocabulary(language, arguments.lemmas) for language in LANGUAGES}
        path = Path(folder) / "vocabulary.json"
        path.write_text(json.dumps(words, ensure_ascii=False), encoding="utf-8")
        print(", ".join(f"{language} {len(terms)} lemmas" for language, terms in words.items()), flush=True)
        rows: list[dict[str, Any]] = []
        for stage in ("cold", "warm"):
            command = [sys.executable, "-m", "benchmarks.translation", "--vocabulary", str(path)]
            done = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE)
            rows.append({"stage": stage, **json.loads(done.stdout)})
            print(
                f"  {stage:6}",
                *(f"{name} {value:.2f}" for name, value in rows[-1].items() if name != "stage"),
                flush=True,
            )
    if arguments.out:
        machine = {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()}
        lemmas = {language: len(terms) for language, terms in words.items()}
        arguments.out.write_text(json.dumps({"machine": machine, "lemmas": lemmas, "rows": rows}, indent=1) + "\n")


def _make_vocabulary(language: Any, most: int) -> list[str]:
    """Return distinct terms of the most frequent words, as if capitalised inside a sentence."""
    from infostream_dedup.language.text.tokens import Form, Shape
    from infostream_dedup.language.translation.frequent_words import frequent_words
    from infostream_dedup.model import Settings
    from infostream_dedup.terms.representation import representation

    forms = [Form(word, Shape.CAPITAL) for word in frequent_words(language)]
    settings = Settings(representation="pivot")
    found: dict[str, None] = {}
    for start in range(0, len(forms), 50_000):
        terms = representation("pivot").terms(forms[start : start + 50_000], language, settings)
        found.update((term, None) for term in terms if term)
        if len(found) >= most:
            break
    return list(found)[:most]


def _measure_translation(path: Path) -> dict[str, float]:
    """Measure translating a vocabulary into the pivot language and back."""
    import numpy as np
    import scipy.sparse as sp

    from infostream_dedup.model import LANGUAGES as NUMBERED
    from infostream_dedup.terms.equivalents import SourceTerms, equivalents_of

    words = json.loads(path.read_text(encoding="utf-8"))
    terms = [term for language in NUMBERED for term in words[language]]
    languages = np.repeat(np.arange(len(NUMBERED), dtype=np.uint8), [len(words[language]) for language in NUMBERED])
    nothing = sp.csr_array(np.zeros((0, len(terms)), dtype=np.int32))
    wall, cpu = time.perf_counter(), time.process_time()
    found = equivalents_of(SourceTerms(nothing, terms, languages), "ru")
    return {
        "wall_seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
        "lemmas": len(terms),
        "with_equivalent": float((found.canonical >= 0).mean()),
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lemmas", type=int, default=100_000, help="number of lemmas of each language")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--vocabulary", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
