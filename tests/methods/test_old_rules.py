"""The old rules of InfoStream: checksum and first paragraph."""

from infostream_dedup.lab.methods import Texts, method
from infostream_dedup.model import Document


def test_a_checksum_does_not_see_titles():
    documents = [
        Document(id="1", text="Мост открыт.", title="Срочно"),
        Document(id="2", text="Мост\nоткрыт.", title="Приозёрск"),
        Document(id="3", text="", title="Срочно"),
    ]
    run = method("checksum").run(Texts(documents))
    assert run.signatures.sizes.tolist() == [2, 2, 0]
    assert run.pairs.as_list() == [(0, 1, 1.0)]


def test_a_first_paragraph_ends_at_the_line():
    texts = Texts.of("\nМост открыт. Ура.\nДалее.", "Мост открыт, ура!", "Мост открыт.\nУра.")
    assert method("first-paragraph").run(texts).pairs.as_list() == [(0, 1, 1.0)]
    # By sentences the second text goes on behind the comma.
    assert method("first-paragraph", unit="sentence").run(texts).pairs.as_list() == [(0, 2, 1.0)]


def test_short_beginnings_can_be_left_out():
    texts = Texts.of("Киев.\nМост открыт.", "Киев.\nСнег выпал.")
    assert method("first-paragraph").run(texts).pairs.as_list() == [(0, 1, 1.0)]
    assert not method("first-paragraph", least_words=3).run(texts).pairs.as_list()


def test_a_title_is_not_a_first_paragraph():
    documents = [
        Document(id="1", text="Мост открыт.", title="Срочно"),
        Document(id="2", text="Снег выпал.", title="Срочно"),
    ]
    assert not method("first-paragraph").run(Texts(documents)).pairs.as_list()
