"""The shipped background of evidence: making it again gives the shipped file."""

import importlib.util
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from infostream_dedup.judging.evidence.kernels.packing import LEAD_KIND, NUMBER_KIND, bucket_of
from infostream_dedup.judging.evidence.reading import evidence_texts, read_evidence
from infostream_dedup.judging.evidence.records import EvidenceFrequencies
from infostream_dedup.language.lexicon.frequency import common_forms
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Document
from tests.oracles.plain_reading import figure_hash

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_background", TOOLS / "make_background.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("language", LANGUAGES)
def test_made_again_it_is_the_shipped_file(maker: ModuleType, language: str) -> None:
    buckets, shares = maker.background(language)
    with np.load(maker.FILE) as shipped:
        assert np.array_equal(shipped[f"{language}_buckets"], buckets)
        # Logarithms may differ in the last bit between processors.
        assert np.allclose(shipped[f"{language}_shares"], shares, rtol=1e-12, atol=0)


def test_counters_of_a_number_and_a_word_by_hand() -> None:
    counts, documents = EvidenceFrequencies().filled_up()
    assert documents[: len(OUR_LANGUAGES)].tolist() == [2000] * 3
    ru = LANGUAGES.index("ru")
    # Whole numbers from 11 to 31 are in 6 % of the items; other entries may share the counter.
    assert counts[bucket_of(figure_hash("17") >> 1, NUMBER_KIND, ru)] >= 0.06 * 2000
    raw = read_evidence(*evidence_texts([Document(id="1", text="которые")]))
    share = counts[bucket_of(int(raw.lead[0]), LEAD_KIND, ru)] / 2000
    running = sum(one for form, one in common_forms("ru") if form.startswith("котор"))
    assert math.isclose(share, 1 - (1 - running) ** 32, rel_tol=0.01)
