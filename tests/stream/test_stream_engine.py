"""The engine: cases worked by hand, any cut into batches, and a stream decided the slow way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.model import Document, Settings
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings

STORY = range(12)
OTHER = range(12, 24)


def rows(verdicts):
    return [(one.id, one.status, one.of, one.group, one.relation) for one in verdicts]


def decide(settings_, documents, size=None):
    engine = StreamEngine(settings_)
    size = size or max(len(documents), 1)
    found = [engine.decide(documents[begin : begin + size]) for begin in range(0, len(documents), size)]
    return [one for part in found for one in part.verdicts], [one for part in found for one in part.events]


def test_the_five_statuses(plain, news):
    documents = [
        news("story", STORY), news("copy", STORY, title="another headline"), news("reprint", [*STORY, 20]),
        news("other", OTHER), news("kin", [0, 1, 2, 3, *range(15, 20), 24, 25, 26]), news("words", [0, 1]),
    ]  # fmt: skip
    verdicts, events = decide(plain, documents)
    assert rows(verdicts) == [
        ("story", "new", None, "story", None), ("copy", "duplicate", "story", "story", "equal"),
        ("reprint", "duplicate", "story", "story", "equal"), ("other", "new", None, "other", None),
        ("kin", "similar", "other", "kin", "equal"), ("words", "insufficient_text", None, "words", None),
    ]  # fmt: skip
    assert events == []
    assert (verdicts[0].forward, verdicts[0].backward, verdicts[0].terms) == (None, None, None)
    # kin and other share five words, kin and story four.
    assert (verdicts[4].forward, verdicts[4].backward, len(verdicts[4].terms)) == (5, 5, 5)


def test_a_digest_contains_and_its_part_is_contained(plain, news):
    # The digest's key terms are words 12 to 23, each of which stands five times; the story is in its text all the same.
    digest = news("digest", [*STORY, *[*OTHER] * 5])
    verdicts, _ = decide(plain, [news("story", STORY), digest])
    assert (verdicts[1].status, verdicts[1].relation) == ("similar", "contains")
    assert (verdicts[1].forward, verdicts[1].backward) == (0, 12)
    verdicts, _ = decide(plain, [digest, news("story", STORY)])
    assert (verdicts[1].status, verdicts[1].relation) == ("similar", "contained")
    verdicts, _ = decide(plain.but(duplicate_rule="contained"), [digest, news("story", STORY)])
    assert (verdicts[1].status, verdicts[1].relation, verdicts[1].group) == ("duplicate", "contained", "digest")


def test_other_numbers_make_a_template_or_an_update(plain, news):
    rates = news("monday", STORY, numbers=[41, 45, 12])
    later = news("tuesday", STORY, numbers=[42, 46, 13], day=1)
    hour = news("noon", STORY, numbers=[42, 46, 13], day=0.2)
    assert rows(decide(plain, [rates, later])[0])[1] == ("tuesday", "similar", "monday", "tuesday", "template")
    assert rows(decide(plain, [rates, hour])[0])[1] == ("noon", "similar", "monday", "noon", "updated")
    other_site = news("tuesday", STORY, numbers=[42, 46, 13], day=1, source="other")
    assert decide(plain, [rates, other_site])[0][1].relation == "updated"
    # Seven of twelve words and of seventeen: more than .4 of all; six of eighteen: a third.
    kin = [news(str(n), [*range(n), *range(15, 27 - n)], numbers=[42, 46, 13], day=1) for n in (7, 6)]
    assert [decide(plain, [rates, one])[0][1].relation for one in kin] == ["template", "updated"]
    assert decide(plain.but(templates=False), [rates, later])[0][1].status == "duplicate"
    assert decide(plain, [rates, news("half", [*STORY, 20], numbers=[41, 45, 99])])[0][1].status == "duplicate"


def test_the_window_follows_the_clock_of_the_stream(terms, news):
    week = StreamSettings(terms=terms, window_days=7)
    first, filler = news("first", STORY), news("filler", OTHER, day=1)
    steps = [news(f"step{day}", OTHER, day=day) for day in range(2, 8)]
    assert decide(week, [first, filler, *steps, news("again", STORY, day=7)])[0][-1].status == "exact"
    # One microsecond more than seven days.
    assert decide(week, [first, filler, *steps, news("again", STORY, day=7 + 1e-6 / 86400)])[0][-1].status == "new"
    # The clock has moved although this one bears no date.
    undated = news("again", STORY, dated=False)
    assert decide(week, [first, filler, *steps, news("step8", OTHER, day=7.5), undated])[0][-1].status == "new"


def test_sources(plain, news):
    documents = [news("a", STORY), news("b", STORY, source="other"), news("c", STORY)]
    ignored, banned, required = (decide(plain.but(within=rule), documents)[0] for rule in ("all", "outlets", "source"))
    assert ([one.of for one in ignored], [one.of for one in banned]) == ([None, "a", "a"], [None, "a", "b"])
    assert [one.of for one in required] == [None, None, "a"]
    unknown = [news("a", STORY, source=None), news("b", STORY, source=None)]
    assert decide(plain.but(within="outlets"), unknown)[0][1].of == "a"
    assert decide(plain.but(within="source"), unknown)[0][1].of is None


def test_the_same_opening(plain):
    first = Document(id="a", text="The minister opened a bridge today.\nThe river is wide.", lang="en")
    second = Document(id="b", text="THE MINISTER opened: a bridge, today\nFarmers sell goods at markets.", lang="en")
    by_opening = plain.but(exact_rule="opening")
    assert decide(plain, [first, second])[0][1].status != "exact"
    assert decide(by_opening, [first, second])[0][1].status == "exact"
    third = Document(id="c", text=f"{first.text} Ships pass. Farmers sell goods.", lang="en")
    fourth = Document(id="d", text=f"{first.text} Ships pass. Birds sing in forests.", lang="en")
    assert decide(plain, [third, fourth])[0][1].status != "exact"
    assert decide(plain.but(exact_rule="sentences"), [third, fourth])[0][1].status == "exact"


def test_a_document_that_repeats_two_groups_unites_them(plain, news):
    documents = [news("a", range(10)), news("b", range(10, 20)), news("c", [*range(5), *range(10, 15)])]
    verdicts, events = decide(plain.but(k_duplicate=6), documents)
    assert rows(verdicts)[2] == ("c", "duplicate", "a", "a", "equal")
    assert [(one.kind, one.group, one.other, one.ordinal) for one in events] == [("merge", "a", "b", 2)]


def test_a_group_that_chains_is_flagged_and_not_grown(terms, news):
    watched = StreamSettings(
        terms=terms, window_days=None, epoch_documents=10**6, first_epoch=10**6, chaining_documents=3,
        chaining_density=0.5, k_duplicate=6, k_similar=4,
    )  # fmt: skip
    # Each shares seven words of ten with the one before, four with the one before that. The fourth is linked to one of
    # three and begins another group.
    chain = [news(str(number), range(3 * number, 3 * number + 10)) for number in range(6)]
    verdicts, events = decide(watched, chain)
    assert [one.status for one in verdicts] == ["new", "duplicate", "duplicate", "similar", "duplicate", "duplicate"]
    assert [one.group for one in verdicts] == ["0", "0", "0", "3", "3", "3"]
    assert [(one.kind, one.group, one.value) for one in events] == [("alarm", "0", pytest.approx(1 / 3))]


def test_a_source_over_its_limit_passes_as_similar(plain, news):
    limited = plain.but(loss_limit=0.5, loss_documents=4)
    verdicts, events = decide(limited, [news(f"{number}", STORY if number else OTHER) for number in range(7)])
    assert [one.status for one in verdicts] == ["new", "new", "exact", "exact", "similar", "similar", "similar"]
    assert [(one.kind, one.group, one.ordinal, one.value) for one in events] == [("limit", "agency", 4, 0.75)]


def test_the_best_of_a_group(plain, news):
    documents = [news("a", STORY, source="blog"), news("b", [*STORY, 20, 21], source="agency"), news("c", OTHER)]
    ranked = {"show": "rank", "source_ranks": ("agency",)}
    for choice, best in (({"show": "first"}, "a"), ({"show": "complete"}, "b"), (ranked, "b")):
        engine = StreamEngine(plain.but(**choice))
        engine.decide(documents)
        assert [engine.best_of(group) for group in ("a", "c", "nobody")] == [best, "c", None]


documents_of_a_stream = st.lists(
    st.tuples(
        st.lists(st.integers(0, 29), max_size=24), st.lists(st.integers(0, 5), max_size=5),
        st.sampled_from([None, 0.0, 0.25, 0.5, 1.0, 3.0, 8.0]), st.sampled_from([None, "one", "two"]), st.booleans(),
    ),
    max_size=24,
)  # fmt: skip
choices = st.fixed_dictionaries(
    {
        "window_days": st.sampled_from([None, 0.5, 3]), "window_documents": st.sampled_from([None, 3, 8]),
        "epoch_documents": st.sampled_from([4, 1000]), "epoch_days": st.sampled_from([None, 2]),
        "first_epoch": st.sampled_from([2, 1000]), "k_duplicate": st.sampled_from([3, 6]),
        "k_similar": st.sampled_from([2, 3]), "duplicate_rule": st.sampled_from(["equal", "contained"]),
        "within": st.sampled_from(["all", "outlets", "source"]), "templates": st.booleans(),
        "least_shared": st.sampled_from([0.0, 0.3, 0.6]), "chaining_documents": st.sampled_from([2, 3, 10]),
        "chaining_density": st.sampled_from([0.4, 0.9]), "loss_limit": st.sampled_from([None, 0.2, 0.6]),
        "loss_documents": st.sampled_from([2, 5]), "df_counts": st.sampled_from(["distinct", "all"]),
        "terms": st.builds(
            Settings, representation=st.just("stem"), df_min=st.just(0), target=st.sampled_from(["text", "signature"]),
            short=st.sampled_from(["scaled", "strict"]), n=st.sampled_from([12, 255]),
        ),
    }
)  # fmt: skip


def stream_of(script, news):
    """A stream of documents; times go on from one to the next, some repeat the words of an earlier one."""
    documents, day = [], 0.0
    for number, (words, figures, step, source, again) in enumerate(script):
        day += step or 0.0
        if again and documents:
            words = script[number // 2][0]
        documents.append(news(str(number), words, numbers=figures, day=day, source=source, dated=step is not None))
    return documents


@given(script=documents_of_a_stream, chosen=choices, sizes=st.lists(st.integers(1, 7), min_size=1))
def test_any_stream_in_any_batches_is_decided_as_the_slow_way_does(script, chosen, sizes, news, plain_stream):
    documents = stream_of(script, news)
    stream_settings = StreamSettings(**chosen)
    whole = StreamEngine(stream_settings)
    decided = whole.decide(documents)
    engine, verdicts, events, closed, begin = StreamEngine(stream_settings), [], [], [], 0
    for number in range(len(documents)):
        end = begin + sizes[number % len(sizes)]
        part = engine.decide(documents[begin:end])
        verdicts, events, closed, begin = verdicts + part.verdicts, events + part.events, closed + part.closed, end
    assert verdicts == decided.verdicts
    assert events == decided.events
    assert [(one.epoch, one.documents, one.length) for one in closed] == [
        (one.epoch, one.documents, one.length) for one in decided.closed
    ]
    slow = plain_stream(stream_settings, whole.numbers.terms)
    for one in decided.remembered:
        slow.decide(one)
    fields = ("id", "status", "group", "of", "relation", "forward", "backward", "terms")
    assert [tuple(getattr(one, name) for name in fields) for one in decided.verdicts] == slow.verdicts
    assert [(one.ordinal, one.kind, one.group, one.other) for one in decided.events] == slow.events
    assert by_epoch(decided.closed) == slow.frequencies(whole.frequencies.epoch - 1)
    assert by_epoch(decided.repeated) == slow.frequencies(whole.frequencies.epoch - 1, repeats=True)


def by_epoch(records):
    return {
        (one.epoch, one.language): (
            one.documents, one.length, dict(zip(one.terms.tolist(), one.df.tolist(), strict=True)),
        )
        for one in records
    }  # fmt: skip
