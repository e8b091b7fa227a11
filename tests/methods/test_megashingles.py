"""Megashingles of whole documents."""

from infostream_dedup.lab.methods import Texts, method

WORDS = [f"слово{number}" for number in range(400)]


def test_a_document_keeps_fifteen_megashingles():
    signatures = method("megashingles").sign(Texts.of(" ".join(WORDS), "снег", ""))
    assert signatures.sizes.tolist() == [15, 15, 0]


def test_close_documents_meet_and_distant_ones_do_not():
    near, far = WORDS.copy(), WORDS.copy()
    near[200] = "другое"
    far[::8] = [f"замена{number}" for number in range(50)]
    run = method("megashingles").run(Texts.of(" ".join(WORDS), " ".join(near), " ".join(far)))
    # One word is five shingles of 396: resemblance .975. Every eighth word leaves less than a third of them.
    assert list(zip(run.pairs.a, run.pairs.b, strict=True)) == [(0, 1)]
