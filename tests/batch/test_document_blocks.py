"""Documents gathered into blocks are the same documents, and say the same to everything that reads them."""

from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pytest

from infostream_dedup import Document
from infostream_dedup.judging.evidence.reading import evidence_texts, evidence_texts_of_block
from infostream_dedup.model import DocumentBlock, fields_of, full_text, single_documents
from infostream_dedup.runs.batch.collection import block_of, collect, in_blocks

DOCUMENTS = [
    Document(id="1", title="Мост открыт", text="Мост открыт. Мэр доволен", lang="ru", source="a.example"),
    Document(id="2", title="Суд", text="Жалоба оставлена", time=datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
    Document(id="3", text="", lang="uk"),
    Document(id="4", title="Заголовок", text="", url="https://a.example/4"),
    Document(id="5", text="<b>Жирный</b> текст\nв две строки", lang="de"),
]


def test_a_block_has_every_field_of_its_documents() -> None:
    block = block_of(DOCUMENTS)
    assert block is not None
    assert list(block.documents()) == DOCUMENTS
    assert block.full_texts() == [full_text(one) for one in DOCUMENTS]
    assert [block.title(number) for number in range(len(block))] == [one.title for one in DOCUMENTS]
    assert block.characters.tolist() == [[len(one.title), len(one.text)] for one in DOCUMENTS]
    texts, heads = evidence_texts_of_block(block)
    expected, expected_heads = evidence_texts(DOCUMENTS)
    assert bytes(texts.data) == bytes(expected.data)
    assert heads.tolist() == expected_heads.tolist()


def test_a_lone_surrogate_cannot_be_encoded() -> None:
    for bad in (Document(id="6", text="a\ud800"), Document(id="6", title="a\ud800", text="")):
        assert block_of([*DOCUMENTS, bad]) is None
        assert list(in_blocks([*DOCUMENTS, bad], lambda: True)) == [*DOCUMENTS, bad]


@pytest.mark.parametrize(("chunk", "sizes"), [(1, [2, 1, 1, 1]), (30, [3, 1, 1]), (1000, [3, 2])])
def test_blocks_keep_the_order(chunk: int, sizes: list[int]) -> None:
    """The first two documents come before the caller takes blocks; a block among the documents stays as it is."""
    given = block_of(DOCUMENTS[:2])
    assert given is not None
    calls = iter(range(100))
    wanted: Callable[[], bool] = lambda: next(calls) >= 2  # noqa: E731
    found = list(
        in_blocks([DOCUMENTS[0], given, DOCUMENTS[1], *DOCUMENTS[2:], given, *DOCUMENTS[:2]], wanted, chunk=chunk)
    )
    assert found[0] is DOCUMENTS[0]
    assert found[1] is given
    assert found[2] is DOCUMENTS[1]
    blocks = [one for one in found[3:] if isinstance(one, DocumentBlock)]
    assert [one for block in found for one in single_documents(block)] == [
        *DOCUMENTS[:1], *DOCUMENTS[:2], *DOCUMENTS[1:], *DOCUMENTS[:2], *DOCUMENTS[:2],
    ]  # fmt: skip
    assert [len(block) for block in blocks if block is not given] == sizes


def test_a_collection_is_the_same_from_single_documents() -> None:
    plain, compiled = (collect(DOCUMENTS, engine=engine) for engine in ("plain", "compiled"))
    assert compiled.text_hashes == plain.text_hashes
    assert compiled.text_lengths == plain.text_lengths
    assert compiled.languages == plain.languages
    assert fields_of(compiled.documents) == fields_of(plain.documents)
    assert list(compiled.documents) == list(plain.documents)
    assert np.array_equal(compiled.surfaces.languages, plain.surfaces.languages)
