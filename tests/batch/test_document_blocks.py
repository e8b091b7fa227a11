"""Documents gathered into blocks are the same documents, and say the same to everything that reads them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from infostream_dedup import Document
from infostream_dedup.judging.evidence.reading import evidence_texts, evidence_texts_of_block
from infostream_dedup.judging.repeated.equality import equality_hash
from infostream_dedup.model import DocumentBlock, full_text, single_documents, without_text
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
        assert list(in_blocks([*DOCUMENTS, bad])) == [*DOCUMENTS, bad]


@pytest.mark.parametrize(("chunk", "sizes"), [(1, [1, 1, 2, 1, 1, 1]), (30, [1, 4, 1, 1]), (1000, [5, 2])])
def test_blocks_keep_the_order(chunk: int, sizes: list[int]) -> None:
    given = block_of(DOCUMENTS[:2])
    assert given is not None
    found = list(in_blocks([given, *DOCUMENTS, given, *DOCUMENTS[:2]], chunk=chunk))
    assert found[0] is given
    blocks = [one for one in found if isinstance(one, DocumentBlock)]
    assert [one for block in found for one in single_documents(block)] == [
        *DOCUMENTS[:2],
        *DOCUMENTS,
        *DOCUMENTS[:2],
        *DOCUMENTS[:2],
    ]
    assert [len(block) for block in blocks if block is not given] == sizes


def test_a_collection_keeps_the_fields_of_its_documents() -> None:
    found = collect(DOCUMENTS)
    assert found.text_hashes == [equality_hash(one) for one in DOCUMENTS]
    assert found.text_lengths.tolist() == [len(one.text) for one in DOCUMENTS]
    assert list(found.documents) == [without_text(one) for one in DOCUMENTS]
