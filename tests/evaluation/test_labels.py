"""Labels of pairs, their scope, the truth that they give, and sets as others publish them."""

import csv
import gzip
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import compare, evaluate
from infostream_dedup.documents.outputs import write_rows
from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from infostream_dedup.lab import labels as labelling
from infostream_dedup.model import Document, Language


def _file(folder: Path, content: bytes, name: str = "labels.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_labels_keep_other_fields_and_their_place(tmp_path: Path) -> None:
    path = _file(tmp_path, b'{"a":"x","b":"y","label":"dup","kind":"reprint"}\n\n{"a":"y","b":"z","label":"different"}')
    assert labelling.read_labels(path) == [
        labelling.Label("x", "y", "dup", str(path), 1, {"kind": "reprint"}),
        labelling.Label("y", "z", "different", str(path), 3, {}),
    ]


def test_a_spreadsheet_is_read(tmp_path: Path) -> None:
    # As Excel saves it: semicolons, CR LF, an empty row, blanks and capitals; the third pair is still to be judged.
    title = "В городе открыли новую школу, в которой будут учиться восемьсот детей"
    rows = f"a;b;label;title_a\r\nx;y;Dup ;{title}\r\ny;z;different;\r\nx;z;;{title}\r\n;;;\r\n"
    for encoding in ("utf-8-sig", "cp1251"):
        path = _file(tmp_path, rows.encode(encoding), "labels.csv")
        assert labelling.read_labels(path) == [
            labelling.Label("x", "y", "dup", str(path), 2, {"title_a": title}),
            labelling.Label("y", "z", "different", str(path), 3, {}),
        ]


def test_a_workbook_is_read_with_ids_of_digits(tmp_path: Path) -> None:
    rows = [{"a": 7, "b": "x", "label": "dup"}, {"a": "y", "b": "x", "label": None}]
    with (tmp_path / "labels.xlsx").open("wb") as stream:
        write_rows(rows, stream, "xlsx")
    assert [(one.a, one.b, one.label) for one in labelling.read_labels(tmp_path / "labels.xlsx")] == [("7", "x", "dup")]


def test_a_table_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="missing columns: label; the header has: a, b, text") as caught:
        labelling.read_labels(_file(tmp_path, b"a,b,text\nx,y,z\n", "labels.csv"))
    assert caught.value.code == "E_SCHEMA"


def test_gzip_and_byte_order_mark(tmp_path: Path) -> None:
    content = gzip.compress(b'\xef\xbb\xbf{"a":"x","b":"y","label":"dup"}\r\n')
    assert [label.label for label in labelling.read_labels(_file(tmp_path, content, "labels.jsonl.gz"))] == ["dup"]


def test_a_pair_may_come_twice_with_one_label() -> None:
    assert len(labelling.labels_of([{"a": "x", "b": "y", "label": "dup"}, {"a": "y", "b": "x", "label": "dup"}])) == 2


@pytest.mark.parametrize(("line", "code", "field"), [
    (b'{"a":"x","b":"y","label":"dup"', "E_JSON", None),
    (b'{"a":"x","b":"\xff","label":"dup"}', "E_ENCODING", None), (b'["x","y","dup"]', "E_TYPE", None),
    (b'{"b":"y","label":"dup"}', "E_MISSING", "a"), (b'{"a":"x","b":null,"label":"dup"}', "E_MISSING", "b"),
    (b'{"a":"x","b":7,"label":"dup"}', "E_TYPE", "b"), (b'{"a":"","b":"y","label":"dup"}', "E_TYPE", "a"),
    (b'{"a":"x","b":"y"}', "E_MISSING", "label"), (b'{"a":"x","b":"y","label":"duplicate"}', "E_LABEL", "label"),
    (b'{"a":"x","b":"x","label":"dup"}', "E_SELF_PAIR", "b"),
    (b'{"a":"q","b":"p","label":"similar"}', "E_CONTRADICTION", "label"),
])  # fmt: skip
def test_a_bad_label_names_its_place(tmp_path: Path, line: bytes, code: str, field: str | None) -> None:
    path = _file(tmp_path, b'{"a":"p","b":"q","label":"dup"}\n' + line + b"\n")
    with pytest.raises(BadDataError) as caught:
        labelling.read_labels(path)
    assert (caught.value.code, caught.value.field, caught.value.line) == (code, field, 2)
    assert caught.value.source == str(path)


def test_a_contradiction_names_both_lines() -> None:
    rows = [{"a": "x", "b": "y", "label": "dup"}, {"a": "y", "b": "x", "label": "different"}]
    with pytest.raises(BadDataError, match=r"'y' and 'x' are 'different' here but 'dup' in line 1"):
        labelling.labels_of(rows)


KIN_FILE = gzip.compress(b'{"family_a":"f","family_b":"g"}\n' * 50)


@pytest.mark.parametrize("content", [b"no gzip at all", KIN_FILE[:-9]], ids=["other", "cut"])
def test_a_damaged_or_cut_off_gzip_file_is_named(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(BadDataError, match="gzip archive") as caught:
        labelling.read_kin(_file(tmp_path, content, "kin.jsonl.gz"))
    assert caught.value.code == "E_GZIP"


def test_kin_without_a_family_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="family_b"):
        labelling.read_kin(_file(tmp_path, b'{"family_a":"f"}\n'))


def test_kin_by_a_field_of_the_documents() -> None:
    def document(number: int, family: str | None, submission: str) -> Document:
        return Document(id=str(number), text="", extra={"family": family, "submission": submission})

    documents = [
        document(1, "f", "translation"), document(2, "f", "translation"), document(3, "g", "essay"),
        document(4, None, "translation"), document(5, "h", "translation"), document(6, "i", "translation"),
    ]  # fmt: skip
    why = "submission=translation"
    assert labelling.kin_by_field(documents, "submission", "translation") == [
        labelling.Kin("f", "h", why),
        labelling.Kin("h", "i", why),
    ]


@pytest.mark.parametrize("given", [(), ("dup", "same"), ("different",)])
def test_wrong_positive_labels_are_refused(given: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError, match="expected one or more of dup, similar, translation"):
        labelling.positive_labels(given)


def test_a_pair_that_is_not_judged_yet_is_left_out(tmp_path: Path) -> None:
    path = _file(tmp_path, b'{"a":"x","b":"y","label":null}\n{"a":"x","b":"z","label":"dup"}\n')
    assert [(label.b, label.line) for label in labelling.read_labels(path)] == [("z", 2)]


def test_a_pair_waiting_for_its_label_contradicts_nothing_but_must_be_a_pair() -> None:
    rows = [{"a": "x", "b": "y", "label": None}, {"a": "y", "b": "x", "label": "similar"}]
    assert [label.label for label in labelling.labels_of(rows)] == ["similar"]
    with pytest.raises(BadDataError, match="two different documents"):
        labelling.labels_of([{"a": "x", "b": "x", "label": None}])


LANGUAGES: list[Language] = ["ru", "ru", "uk", "en"]
DOMAINS = ["news", "", None, "conversation"]


def _scope(language_pairs: str | None = None, domains: tuple[str, ...] = ()) -> labelling.Scope:
    documents = [Document(id=str(number), text="", extra={"domain": domain}) for number, domain in enumerate(DOMAINS)]
    return labelling.scope_of(documents, LANGUAGES, language_pairs=language_pairs, domains=domains)


def _pairs(scope: labelling.Scope) -> list[tuple[int, int]]:
    a, b = np.triu_indices(4, k=1)
    held = scope.holds(a, b)
    assert held.tolist() == scope.holds(b, a).tolist()
    return [(int(x), int(y)) for x, y in zip(a[held], b[held], strict=True)]


@pytest.mark.parametrize(("language_pairs", "expected"), [
    ("ru", [(0, 1)]), ("uk", []), ("ru-uk", [(0, 2), (1, 2)]), ("uk-ru", [(0, 2), (1, 2)]),
    ("ru, uk-en", [(0, 1), (2, 3)]),
])  # fmt: skip
def test_languages_of_both_documents(language_pairs: str, expected: list[tuple[int, int]]) -> None:
    assert _pairs(_scope(language_pairs)) == expected


def test_domains_of_both_documents() -> None:
    for domains, inside in [
        (("news",), [0]), (("",), [1, 2]), (("", "news"), [0, 1, 2]), ((",news",), [0, 1, 2]),
        (("!conversation",), [0, 1, 2]), (("!conversation", "!news"), [1, 2]), (("news,conversation,!news",), [3]),
        (("!",), [0, 3]),
    ]:  # fmt: skip
        scope = _scope(domains=domains)
        assert np.flatnonzero(scope.documents()).tolist() == inside
        assert _pairs(scope) == [(a, b) for a in inside for b in inside if a < b]


def test_documents_in_scope_have_a_wanted_language() -> None:
    assert _scope("ru-uk", ("!news",)).documents().tolist() == [False, True, True, False]


@pytest.mark.parametrize("language_pairs", ["de", "ru-de", "ru-uk-en", "", "ru-", "ru;uk"])
def test_wrong_languages_are_refused(language_pairs: str) -> None:
    with pytest.raises(ConfigurationError, match="expected one of ru, uk, en"):
        _scope(language_pairs)


@pytest.mark.parametrize("domain", ["new", "!new"])
def test_a_domain_that_no_document_has_is_refused(domain: str) -> None:
    with pytest.raises(
        ConfigurationError, match="'new', which no document has; the domains here are conversation, news"
    ):
        _scope(domains=(domain,))


Listed = dict[str, str]
VERDICTS = {1: "true", -1: "false", 0: "-"}


def _truth(
    families: list[str | None],
    listed: Listed,
    *,
    kin: tuple[str, ...] = (),
    languages: list[Language] | None = None,
    **options: Any,
) -> labelling.Truth:
    """Documents a, b, c ... with these families; a listed pair is written ``ab``, kin ``fg``."""
    documents = [Document(id=chr(97 + n), text="", extra={"family": family}) for n, family in enumerate(families)]
    labels = labelling.labels_of([{"a": pair[0], "b": pair[1], "label": label} for pair, label in listed.items()])
    pairs = [labelling.Kin(pair[0], pair[1]) for pair in kin]
    return labelling.truth_of(documents, languages or ["ru"] * len(families), labels, kin=pairs, **options)


def _verdicts(truth: labelling.Truth) -> dict[str, str]:
    a, b = np.triu_indices(truth.documents, k=1)
    verdicts = truth.judge(labelling.codes_of(a, b, truth.documents))
    names = [chr(97 + x) + chr(97 + y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    return {name: VERDICTS[verdict] for name, verdict in zip(names, verdicts.tolist(), strict=True)}


_THREE = {"ab": "dup", "ac": "similar", "bc": "different"}
_FOUR = {"ab": "dup", "ac": "similar", "ad": "different", "bc": "translation"}


@pytest.mark.parametrize(("families", "listed", "options", "verdicts"), [
    # In a closed world every unlisted pair is false, but for families and their kin.
    ("....", _THREE, {}, "ab true, bc false"),
    ("....", _THREE, {"closed": True}, "ab true, bc false, ad false, bd false, cd false"),
    ("ffg.", {}, {"kin": ("fg",), "closed": True}, "ad false, bd false, cd false"),
    # Kin families are not counted, and kin of kin are kin.
    ("fghi", {}, {"kin": ("fg", "gh")}, "ad false, bd false, cd false"),
    # Which labels are true or false can be chosen.
    ("....", _FOUR, {"positive": ("dup", "similar")}, "ab true, ac true, ad false"),
    ("....", _FOUR, {"positive": ("dup",), "negative": ("different", "similar")}, "ab true, ac false, ad false"),
])  # fmt: skip
def test_verdicts_by_hand(families: str, listed: Listed, options: dict[str, Any], verdicts: str) -> None:
    found = _verdicts(_truth([None if one == "." else one for one in families], listed, **options))
    assert found == dict.fromkeys(found, "-") | dict(one.split(" ") for one in verdicts.split(", "))


@pytest.mark.parametrize(("families", "listed", "options", "stories"), [
    # Stories are families; without them, they are joined by true pairs, as are those of two families.
    ("fgfgh", {"ac": "dup"}, {}, [0, 1, 0, 1, 2]),
    ("......", {"ab": "dup", "bc": "dup", "de": "different"}, {}, [0, 0, 0, 1, 2, -1]),
    ("fggh", {"ab": "dup"}, {}, [0, 0, 0, 1]),
    ("fgh", {}, {"languages": ["ru", "uk", "ru"], "language_pairs": "ru"}, [0, -1, 1]),
])  # fmt: skip
def test_stories_by_hand(families: str, listed: Listed, options: dict[str, Any], stories: list[int]) -> None:
    assert _truth([None if one == "." else one for one in families], listed, **options).stories.tolist() == stories


def test_templates_are_false_in_a_closed_world_whatever_their_label() -> None:
    documents = [Document(id=name, text="") for name in "abc"]
    rows = [{"a": "a", "b": "b", "label": "similar", "kind": "template"}, {"a": "a", "b": "c", "label": "template"}]
    positive = ("dup", "similar")
    opened = labelling.truth_of(documents, ["ru"] * 3, labelling.labels_of(rows), positive=positive)
    assert _verdicts(opened) == {"ab": "true", "ac": "-", "bc": "-"}
    closed = labelling.truth_of(documents, ["ru"] * 3, labelling.labels_of(rows), positive=positive, closed=True)
    assert _verdicts(closed) == dict.fromkeys(("ab", "ac", "bc"), "false")
    with pytest.raises(ConfigurationError, match="leave template out"):
        labelling.truth_of(documents, ["ru"] * 3, labelling.labels_of(rows), positive=("template",), closed=True)


def test_a_closed_world_is_counted_within_its_scope() -> None:
    languages: list[Language] = ["ru", "ru", "uk"]
    truth = _truth([None] * 3, {}, closed=True, languages=languages, language_pairs="ru")
    assert _verdicts(truth) == {"ab": "false", "ac": "-", "bc": "-"}
    assert truth.in_scope(np.array([1, 2, 5])).tolist() == [True, False, False]
    assert truth.stories.tolist() == [0, 1, -1]


def test_an_unknown_document_is_named() -> None:
    with pytest.raises(
        BadDataError, match=r"<list>:1: field 'b': is 'z', which is not among the 2 documents"
    ) as caught:
        _truth([None, None], {"az": "dup"})
    assert caught.value.code == "E_UNKNOWN_ID"


def test_kin_without_families_is_refused() -> None:
    with pytest.raises(BadDataError, match="no document has a field 'family'"):
        _truth([None, None], {"ab": "dup"}, kin=("fg",))


@given(st.data())
def test_agrees_with_the_protocol_pair_by_pair(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 7))
    families = data.draw(st.lists(st.sampled_from(["f", "g", "h", "i", None]), min_size=size, max_size=size))
    names = "abcdefg"[:size]
    pairs = ["".join(pair) for pair in combinations(names, 2)]
    listed = data.draw(st.dictionaries(st.sampled_from(pairs), st.sampled_from(labelling.LABELS)))
    kin = data.draw(st.lists(st.tuples(st.sampled_from("fghi"), st.sampled_from("fghi")), max_size=3))
    kin = kin if any(families) else []
    languages = data.draw(st.lists(st.sampled_from(["ru", "uk"]), min_size=size, max_size=size))
    language_pairs = data.draw(st.sampled_from([None, "ru", "ru-uk"]))
    truth = _truth(families, listed, kin=tuple(map("".join, kin)), languages=languages, language_pairs=language_pairs)
    circles = {family: {family} for family in "fghi"}
    for one, other in kin:
        joined = circles[one] | circles[other]
        for family in joined:
            circles[family] = joined
    for pair, verdict in _verdicts(truth).items():
        a, b = (names.index(name) for name in pair)
        wanted = {None: {"ruru", "ukuk", "ruuk"}, "ru": {"ruru"}, "ru-uk": {"ruuk"}}[language_pairs]
        related = families[a] is not None and families[b] in circles[families[a]]
        label = listed.get(pair)
        if "".join(sorted((languages[a], languages[b]))) not in wanted:
            expected = "-"
        elif label == "dup":
            expected = "true"
        elif related or label in ("similar", "translation", "template"):
            expected = "-"
        else:
            expected = "false" if label or (families[a] and families[b]) else "-"
        assert verdict == expected, pair


# Files of CrossNews-UA and NEWS-COPY are read as they are published.
BRIDGE = "Президент відкрив у Харкові новий міст через річку; мер міста обіцяв мешканцям ремонт набережної та парку."
MOST = "Президент открыл в Харькове новый мост через реку; мэр города обещал жителям ремонт набережной и парка."
SNOW = "Синоптики обіцяють сніг і мороз; водіїв просять залишити автомобілі вдома, школи закриті до понеділка."
COLUMNS = ("text1", "text2", "source1", "source2", "url_lang1", "url_lang2", "language_of_pair", "aggregated_what")


def pairs_file(path, *rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    return str(path)


def test_pairs_of_crossnews(tmp_path):
    path = pairs_file(
        tmp_path / "crossnews-ua.csv",
        (BRIDGE, MOST, "https://a.example/1", "https://b.example/2", "uk", "ru", "ukr-ru", "similar"),
        (BRIDGE, SNOW, "https://a.example/1", "https://a.example/1", "uk", "uk", "ukr-ukr", "different"),
        (f"{BRIDGE} Це було вчора.", SNOW, "", "", "uk", "uk", "ukr-ukr", "somewhat_related"),
        (BRIDGE, "Mosty\nsą drogie.", "https://a.example/1", "https://p.example", "uk", "pl", "ukr-pl", "disagreement"),
        (MOST, BRIDGE, "https://b.example/2", "https://a.example/1", "ru", "uk", "ukr-ru", "different"),
    )
    documents, labels = labelling.public_set((path,), path)
    assert [one["id"] for one in documents] == [
        "https://a.example/1", "https://b.example/2", "https://a.example/1 2", "text 1", "text 2", "https://p.example",
    ]  # fmt: skip
    assert documents[0] == {"id": documents[0]["id"], "text": BRIDGE, "lang": "uk", "url": "https://a.example/1"}
    assert documents[5]["text"] == "Mosty\nsą drogie."
    assert "lang" not in documents[5]
    assert [(one.a, one.b, one.label, one.extra["kind"]) for one in labels] == [
        ("https://a.example/1", "https://b.example/2", "similar", "same-event"),
        ("https://a.example/1", "https://a.example/1 2", "different", "different"),
        ("text 1", "text 2", "different", "related"),
    ]
    row = evaluate(path, path, positive="similar", representation="pivot", df_min=1).rows[5]
    assert (row.scores.tp, row.scores.fp, row.scores.fn) == (1, 0, 0)
    with pytest.raises(ConfigurationError, match="name it as the documents too"):
        evaluate(str(tmp_path / "other.csv"), path)
    wrong = pairs_file(tmp_path / "wrong.csv", (BRIDGE, MOST, "", "", "uk", "ru", "ukr-ru", "same"))
    with pytest.raises(BadDataError, match="'same'; expected one of similar, somewhat_related"):
        evaluate(wrong, wrong)
    empty = pairs_file(tmp_path / "empty.csv", (BRIDGE, " ", "", "", "uk", "ru", "ukr-ru", "similar"))
    with pytest.raises(BadDataError, match="is empty"):
        evaluate(empty, empty)


def test_articles_and_pairs_of_news_copy(tmp_path):
    text = "The governor opened the bridge across the river yesterday and promised the town a new park and a school."
    articles = {
        "gazette-1955-03-02-1-4": {"headline": "Bridge opens", "byline": "By AP", "article": text},
        "herald-1955-03-02-2-1": {"article": text.replace("river", "rivcr")},
        "herald-1955-03-03-2-9": {"headline": "", "article": "Wheat prices fell on Monday as rain came to the plains."},
    }
    documents = tmp_path / "articles.json"
    edges = tmp_path / "edges.json"
    documents.write_text(json.dumps(articles), encoding="utf-8")
    edges.write_text(json.dumps([["herald-1955-03-02-2-1", "gazette-1955-03-02-1-4"]]), encoding="utf-8")
    read, labels = labelling.public_set(documents, edges)
    assert read[0]["text"] == f"By AP\n{text}"
    assert read[1]["title"] is None
    assert [(one.a, one.b, one.label) for one in labels] == [("gazette-1955-03-02-1-4", "herald-1955-03-02-2-1", "dup")]
    row = evaluate(documents, edges, closed=True, representation="stem", df_min=1).rows[5]
    assert (row.scores.tp, row.scores.fp, row.scores.fn) == (1, 0, 0)
    assert compare(documents, methods=["minhash"], labels=edges, closed=True).rows[0].figures["fn"] in (0, 1)
    for content, said in (("[]", "an object of articles"), ('{"a": 1}', "a: is missing"), ("{", "not JSON")):
        documents.write_text(content, encoding="utf-8")
        with pytest.raises(BadDataError, match=said):
            evaluate(documents, edges)
    documents.write_text(json.dumps(articles), encoding="utf-8")
    for content, said in (("{}", "a list of pairs"), ('[["a"]]', "pair 1 is not a list of two ids")):
        edges.write_text(content, encoding="utf-8")
        with pytest.raises(BadDataError, match=said):
            evaluate(documents, edges)
    with pytest.raises(NoInputError):
        evaluate(documents, tmp_path / "none.json")
    with pytest.raises(ConfigurationError, match="name it alone"):
        evaluate([str(documents), str(documents)], edges)


def test_other_labels_stay_as_given(tmp_path):
    assert labelling.public_set("a.jsonl", "labels.csv") == ("a.jsonl", "labels.csv")
    assert labelling.public_set("a.jsonl", None) == ("a.jsonl", None)
    (tmp_path / "labels.csv").write_text("a,b,label\n", encoding="utf-8")
    assert labelling.public_set("a.jsonl", tmp_path / "labels.csv") == ("a.jsonl", tmp_path / "labels.csv")
