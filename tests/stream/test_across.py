"""A stream across languages: translations, stories, and that nothing but the stream decides them."""

import gzip
import json
import random
from collections import Counter, defaultdict

import numpy as np
import orjson
import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links.pair_rules import nothing_better
from infostream_dedup.model.stream_records import ACROSS_FIELDS, JUDGED_FIELDS, STORY_FIELDS, VERDICT_FIELDS
from infostream_dedup.stream.across import LinkAcross, LinksAcross
from infostream_dedup.stream.analysis import TermNumbers
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.pivot_terms import PivotWords
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.checking import checks

from .test_written_words import TEXTS

ACROSS = StreamSettings.of({"first_epoch": 40, "epoch_documents": 60})
ALL_FIELDS = (*VERDICT_FIELDS, *JUDGED_FIELDS, *ACROSS_FIELDS, *STORY_FIELDS)

BRIDGE = {
    "ru": "Президент открыл в Харькове новый мост через реку вместе с мэром города. Строительство обошлось бюджету в "
    "412 миллионов гривен. Движение троллейбусов начнётся в октябре, рассказал директор департамента транспорта. "
    "Раньше жители добирались до центра в объезд, через проспект, и теряли время на дороге.",
    "uk": "Президент відкрив у Харкові новий міст через річку разом із мером міста. Будівництво коштувало бюджету 412 "
    "мільйонів гривень. Рух тролейбусів почнеться в жовтні, розповів директор департаменту транспорту. Раніше "
    "мешканці діставалися до центру в об'їзд, через проспект, і втрачали час на дорозі.",
    "en": "The president opened a new bridge over the river in Kharkiv together with the mayor of the city. The "
    "construction cost the budget 412 million hryvnias. Trolleybus traffic begins in October, the director of the "
    "transport department said. Residents used to reach the centre by a detour, along the avenue, and lost time on "
    "the road.",
}
MATCH = {
    "ru": "Сборная выиграла матч по футболу у соперника со счётом 3:1. Тренер похвалил вратаря и защитников, "
    "нападающий получил травму колена. Болельщики праздновали победу на стадионе, полиция задержала трёх фанатов.",
    "uk": "Збірна виграла матч із футболу в суперника з рахунком 3:1. Тренер похвалив воротаря і захисників, нападник "
    "отримав травму коліна. Уболівальники святкували перемогу на стадіоні, поліція затримала трьох фанатів.",
}


def news(name, text, lang=None, source="one"):
    return {"id": name, "text": text, "lang": lang or name[:2], "source": source}


@pytest.fixture(scope="module")
def stream():
    """Made-up news in three languages: each story in some, with copies, in an order drawn by a seed."""
    draw, words = random.Random(18), defaultdict(list)  # noqa: S311 - made-up news
    for ru, uk, en in (
        ("президент", "президент", "president"), ("мост", "міст", "bridge"), ("город", "місто", "city"),
        ("бюджет", "бюджет", "budget"), ("директор", "директор", "director"), ("полиция", "поліція", "police"),
        ("стадион", "стадіон", "stadium"), ("тренер", "тренер", "coach"), ("банк", "банк", "bank"),
        ("суд", "суд", "court"), ("закон", "закон", "law"), ("армия", "армія", "army"), ("школа", "школа", "school"),
        ("врач", "лікар", "doctor"), ("болезнь", "хвороба", "disease"), ("река", "річка", "river"),
        ("поезд", "поїзд", "train"), ("самолёт", "літак", "aircraft"), ("нефть", "нафта", "oil"),
        ("газ", "газ", "gas"), ("цена", "ціна", "price"), ("рынок", "ринок", "market"), ("завод", "завод", "factory"),
        ("выборы", "вибори", "election"), ("партия", "партія", "party"), ("министр", "міністр", "minister"),
        ("погода", "погода", "weather"), ("снег", "сніг", "snow"), ("музей", "музей", "museum"),
        ("фильм", "фільм", "film"), ("книга", "книга", "book"), ("театр", "театр", "theatre"),
    ):  # fmt: skip
        for language, word in (("ru", ru), ("uk", uk), ("en", en)):
            words[language].append(word)
    found = []
    for number in range(70):
        chosen = draw.sample(range(len(words["ru"])), 14)
        for language in draw.sample(("ru", "uk", "en"), draw.choice((1, 2, 2, 3))):
            text = " ".join(words[language][one] for one in chosen)
            found.append(news(f"{language}-{number}", f"{text} {number}.", language))
            if draw.random() < 0.3:
                found.append(news(f"{language}-{number}-copy", f"{text} {number}. {words[language][3]}", source="two"))
    # Names that are nouns too, whose forms a stream decides document by document.
    for part in range(3):
        found += [
            news(f"{name}-{part}", f"{text} {part}", "ru" if name == "russian" else "en")
            for name, text in TEXTS.items()
        ]
    draw.shuffle(found)
    return found


def decided(documents, settings=ACROSS):
    with Deduplicator.open(None, settings) as dedup:
        return dedup.process(documents)


def rows(verdicts, fields=ALL_FIELDS):
    return orjson.dumps([one.as_dict(fields) for one in verdicts])


def test_a_translation_names_what_met_and_makes_a_story():
    found = decided([news(*one) for one in (("ru", BRIDGE["ru"]), ("ru-2", MATCH["ru"]), ("uk", BRIDGE["uk"]))])
    assert [(one.translation_of, one.story) for one in found] == [(None, None), (None, None), ("ru", "ru")]
    assert [(one.status, one.group) for one in found] == [("new", "ru"), ("new", "ru-2"), ("new", "uk")]
    told = found[2].as_dict(ALL_FIELDS)["translation"]
    assert 0.4 <= told["share_backward"] <= 1
    assert {"word": "річка", "pivot": "река", "their_word": "река", "rung": "dictionary"} in told["met"]
    third = decided([news(name, BRIDGE[name]) for name in ("ru", "uk", "en")])[2]
    assert third.translation_of in ("ru", "uk")
    assert third.story == "ru"
    assert {"word": "bridge", "pivot": "мост", "rung": "dictionary"}.items() <= next(
        one for one in third.as_dict(ALL_FIELDS)["translation"]["met"] if one["word"] == "bridge"
    ).items()


def test_a_stream_of_one_language_then_another_is_not_blind():
    many = [news(f"ru-{number}", MATCH["ru"].replace("3:1", f"{number}:1")) for number in range(3)]
    assert decided([news("ru", BRIDGE["ru"]), *many, news("uk", BRIDGE["uk"])])[-1].translation_of == "ru"


def test_several_renderings_of_a_text_do_not_push_each_other_out():
    edited = {
        f"{language}-{number}": news(f"{language}-{number}", f"{text} {tail}", source=f"site {language} {number}")
        for language, tails in (
            ("ru", ("Об этом сообщает мэрия.", "Фото пресс-службы.", "Видео опубликовали свидетели.")),
            ("uk", ("Про це повідомляє мерія.", "Фото пресслужби.", "Відео оприлюднили свідки.")),
        )
        for number, tail in enumerate(tails)
        for text in (BRIDGE[language],)
    }
    found = decided(list(edited.values()))
    assert all(one.translation_of is not None for one in found[3:])
    assert {one.story for one in found[3:]} == {"ru-0"}


def test_status_and_group_do_not_depend_on_other_languages(stream):
    own = (*VERDICT_FIELDS, *JUDGED_FIELDS)
    alone = decided(stream, ACROSS.but(across="none"))
    across = decided(stream)
    assert rows(across, own) == rows(alone, own)
    assert all(one.translation_of is one.translation is None for one in alone)
    assert sum(one.translation_of is not None for one in across) > 30


@pytest.fixture(scope="module")
def whole(stream):
    return rows(decided(stream))


@pytest.mark.parametrize("size", [1, 37, 1000])
def test_verdicts_do_not_depend_on_batches_or_restarts(stream, whole, size, tmp_path):
    with Deduplicator.open(None, ACROSS) as dedup:
        found = [one for begin in range(0, len(stream), size) for one in dedup.process(stream[begin : begin + size])]
    assert rows(found) == whole
    if size == 1:
        return
    again = []
    for begin in range(0, len(stream), size):
        with Deduplicator.open(tmp_path / "s.db", ACROSS if begin == 0 else None) as dedup:
            again += dedup.process(stream[begin : begin + size])
    assert rows(again) == whole
    with Deduplicator.open(tmp_path / "s.db") as dedup:
        assert rows(dedup.process(stream)) == whole


@pytest.mark.parametrize("size", [7, 23])
def test_two_processes_take_turns(stream, whole, tmp_path, size):
    """With 7 documents in a batch, both processes return several times within the first epoch."""
    found = []
    with Deduplicator.open(tmp_path / "s.db", ACROSS) as one, Deduplicator.open(tmp_path / "s.db", ACROSS) as other:
        for number, begin in enumerate(range(0, len(stream), size)):
            found += (one, other)[number % 2].process(stream[begin : begin + size])
        assert [check for check in checks(one.store.connection) if check.faults] == []
    assert rows(found) == whole


def test_the_store_knows_stories_and_forgets_what_met(stream, tmp_path):
    path = tmp_path / "s.db"
    with Deduplicator.open(path, ACROSS) as dedup:
        found = dedup.process(stream)
        last = {one.group: (place, one.story) for place, one in enumerate(found) if one.story is not None}
    with Store.open(path) as store:
        present, events = store.stories(), "SELECT ordinal, other, story_id FROM story_event WHERE kind = 'merge'"
        merges = store.connection.execute(f"{events} ORDER BY number").fetchall()
        # Every group that was told a story has one now; merges may have renamed it since.
        for group, (place, story) in last.items():
            for ordinal, other, name in merges:
                story = name if ordinal > place and other == story else story
            if group in present:
                assert present[group] == story
        translated = next(one for one in found if one.translation_of is not None)
        store.forget(translated.id)
        assert store.known(translated.id)[-1].verdict.translation is None
        assert store.known(translated.id)[-1].verdict.translation_of == translated.translation_of
        assert store.connection.execute("SELECT count(*) FROM pivot").fetchone()[0] == len(stream) - 1
        store.backup(tmp_path / "copy.db")
        store.expire()
    for name in ("s.db", "copy.db"):
        with Store.open(tmp_path / name) as store:
            assert [check for check in checks(store.connection) if check.faults] == []
    with Deduplicator.open(path) as dedup:
        assert dedup.process([news("en-late", BRIDGE["en"])])[0].story is None


def test_a_store_keeps_its_choice_and_says_how_to_begin_another(tmp_path):
    with Deduplicator.open(tmp_path / "s.db", across="none") as dedup:
        dedup.process([news("ru", BRIDGE["ru"])])
        assert (dedup.settings.preset, dedup.settings.across) == ("judged", "none")
    with pytest.raises(ConfigurationError, match=r"across none.*--store NEW --preset judged --across pivot"):
        Deduplicator.open(tmp_path / "s.db", across="pivot")
    with Deduplicator.open(tmp_path / "s.db") as dedup:
        assert dedup.settings.across == "none"
    with pytest.raises(ConfigurationError, match="needs preset judged"):
        StreamSettings.of({"preset": "faithful", "across": "pivot"})
    assert (StreamSettings.of({}).across, StreamSettings.of({"preset": "faithful"}).across) == ("pivot", "none")


class _Window:
    """Languages of made-up documents."""

    first = 0

    def __init__(self, languages):
        self.evidence_columns = self
        self.languages = languages


def test_the_rule_is_that_of_pairs_over_what_came_before():
    """Against ``nothing_better`` over all links among the documents up to each in turn."""
    draw = np.random.default_rng(18)
    for _ in range(30):
        size = 14
        languages = draw.integers(0, 3, size)
        texts = draw.integers(0, 4, size)

        def one_text(a, b, texts=texts):
            return texts[a] == texts[b]

        shares = {
            (a, b): int(draw.integers(40, 100)) * 10_000_000
            for b in range(size)
            for a in range(b)
            if languages[a] != languages[b] and draw.random() < 0.5
        }
        links = LinksAcross(_Window(languages), PivotWords(TermNumbers()))
        for later in range(size):
            own = [LinkAcross(a, share, share) for (a, b), share in sorted(shares.items()) if b == later]
            kept = links.kept(later, [own], [0], one_text)[0]
            known = sorted(pair for pair in shares if pair[1] <= later)
            a, b = np.array(known, dtype=np.int64).reshape(-1, 2).T
            share = np.array([shares[pair] / 1e9 for pair in known])
            right = nothing_better(a, b, share, languages, one_text) if known else []
            assert sorted(one.ordinal for one in kept) == [
                pair[0] for pair, keep in zip(known, right, strict=True) if keep and pair[1] == later
            ]


def bcubed(story, family):
    stories, families = Counter(story.values()), Counter(family.values())
    both = Counter((story[one], family[one]) for one in story)
    precision = sum(both[story[one], family[one]] / stories[story[one]] for one in story) / len(story)
    recall = sum(both[story[one], family[one]] / families[family[one]] for one in story) / len(story)
    return 2 * precision * recall / (precision + recall)


@pytest.mark.slow
def test_translations_of_wmt_and_ntrex_are_found(corpora, tmp_path):
    """The whole sets are in reports/stream.md; here the first 1,500 documents of a shuffled stream."""
    documents = []
    for name in ("wmt", "ntrex"):
        with gzip.open(corpora / f"{name}.docs.jsonl.gz") as lines:
            documents += [one for one in map(json.loads, lines) if one.get("domain") != "conversation"]
    random.Random(18).shuffle(documents)  # noqa: S311 - an order
    documents = documents[:1500]
    fields = ("id", "text", "title", "lang", "source", "url")
    with Deduplicator.open(tmp_path / "s.db", StreamSettings.of({"window_days": None})) as dedup:
        found = dedup.process([{name: one[name] for name in fields} for one in documents])
    family, seen, counts = {one["id"]: one["family"] for one in documents}, defaultdict(set), Counter()
    for one, verdict in zip(documents, found, strict=True):
        came = bool(seen[one["family"]] - {one["lang"]})
        right = verdict.translation_of is not None and (not came or family[verdict.translation_of] == one["family"])
        counts[came, right] += 1
        seen[one["family"]].add(one["lang"])
    assert counts[True, True] >= 0.93 * (counts[True, True] + counts[True, False])
    assert counts[False, True] <= 0.03 * (counts[False, True] + counts[False, False])
    with Store.open(tmp_path / "s.db") as store:
        present = store.stories()
        group = dict(store.connection.execute("SELECT id, group_id FROM v_members"))
    # Stories join languages; a family of which the sample holds one language only has none.
    several = {one for one, languages in seen.items() if len(languages) > 1}
    family = {name: one for name, one in family.items() if one in several}
    assert bcubed({name: present.get(group[name], group[name]) for name in family}, family) >= 0.98


def test_the_digest_of_a_store_without_other_languages_is_as_before():
    settings = StreamSettings(preset="judged")
    assert settings.digest == StreamSettings.of({"preset": "judged", "across": "none"}).digest
    assert settings.digest != settings.but(across="pivot").digest
