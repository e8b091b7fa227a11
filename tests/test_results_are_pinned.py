"""The results of every command on the bundled sample and on real news stay what they are, byte for byte.

Each case runs the command line in a process of its own, keeps from its rows the fields that are listed here, and
compares the SHA-256 of what is left with a pin. Prose (reasons, notes, headings) and timings are not listed, nor is
any column that a later version adds, so both may change freely; values, order of rows and order inside lists may not.

With ``-m "slow or not slow"`` all cases run. ``PINNED_ROWS=FOLDER`` writes the kept rows to files, for a diff; a
pin is the ``sha256sum`` of a file. Remake one only where a result was meant to change, and justify it in the commit.
"""

import csv
import gzip
import hashlib
import io
import itertools
import json
import os
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup.sample import documents_path, labels_path

Fields = str | dict[str, Any]

SWEPT = (
    "representation block k documents links reciprocal paths closed symmetry transitivity sampled transitivity_error"
)
SWEPT_SHARES = SWEPT.replace(" k ", " threshold ")
SWEEP = {
    "rows": SWEPT,
    "recommended_k": "stem morph pivot pivot:cross",
    "configuration": "representations weighting n score target df_min df_max k1 b background short morph pivot",
    "documents": "ru uk en",
    "untranslated": "ru uk en",
}
PAIR = "a b forward backward n_a n_b share_forward share_backward relation terms"
PIVOT_PAIR = {**dict.fromkeys(PAIR.split()), "met": "a b pivot rung"}
SUMMARY = "documents kept groups new exact duplicate similar insufficient_text"
DOCUMENT = "id lang title text source url family published awkward"
STATUS = "id status of group"
VERDICT = "id status of group relation forward backward terms"
PASSAGE = {**dict.fromkeys(["a", "b", "coverage_a", "coverage_b", "sentences"]), "spans": "a b sentences words"}
NOVELTY = {**dict.fromkeys(["id", "novel_share", "novel", "sentences"]), "spans": "span text"}
DIGEST = {"id": None, "share": None, "sources": "id share spans"}
RECURRING = "source sentence documents share first last"
COPY = {
    **dict.fromkeys("group first first_source id source published kept kept_share title_changed cut added".split()),
    "changed": "before after numbers_gone numbers_new names_gone names_new",
}
COMPARED = (
    "method pairs precision recall f1 low high precision_low precision_high recall_low recall_high symmetry "
    "transitivity transitivity_error bytes_per_document only tp fp fn alike links"
)
COMPARISON = {
    "rows": COMPARED,
    "protocol": None,
    "documents": None,
    "pool": "methods pairs verified threshold",
    "dice": "methods values",
}
EVALUATED = "k tp fp fn precision recall f1 low high"
FOUND = "id title language group forward backward relation terms"
CHEAP = "md5,tf,long-sent,three-plus-two:n=3,descr-words,key-terms-stem"
METHODS = (
    "md5,tf,tf-idf,tf-ridf,long-sent,heavy-sent,megashingles,lex-rand,log-shingles,descr-words,opt-freq,decomposition,"
    "three-plus-five,three-plus-two,i-match,spotsigs,low-idf-sig,shingles,dsc,dsc-ss,simhash,minhash,tf-idf-cosine,"
    "key-terms-stem,key-terms-morph,key-terms-pivot,checksum,first-paragraph"
)
RARE = set(
    "demo-csv sweep-json sweep-other-settings sweep-top sweep-store pairs-stem pairs-k-min pairs-cross-language "
    "pairs-between-files pairs-statistics dedup-other-settings ingest-other-settings ingest-keep search "
    "passages-low-idf-sig passages-spotsigs passages-i-match passages-novel passages-boilerplate compare-labels".split()
)
"""Cases that run with the slow tests only."""

QUERY = "'В Казани после двухлетней стройки открыли трамвайную линию до микрорайона Салават Купере'"
EPOCHS = "--first-epoch 60 --epoch-documents 50"
UNLIKE = "--weighting tfidf --n 20 --target signature --df-max 0.3 --no-background --short strict --morph strict"


@dataclass(frozen=True)
class Case:
    """Commands, the last of which gives the rows, the fields to keep, and where the rows are if not in its output."""

    commands: tuple[str, ...]
    fields: Fields
    file: str = ""


def case(*commands: str, fields: Fields, file: str = "") -> Case:
    return Case(commands, fields, file)


SAMPLE = {
    "demo-json": case("demo --out demo", fields=SWEEP, file="demo/sweep.json"),
    "demo-csv": case("demo --out demo", fields=SWEPT, file="demo/sweep.csv"),
    "sweep-json": case("sweep docs.jsonl --format json", fields=SWEEP),
    "sweep-jsonl": case("sweep docs.jsonl --format jsonl", fields=SWEPT),
    "sweep-other-settings": case(f"sweep docs.jsonl --format json {UNLIKE}", fields=SWEEP),
    "sweep-top": case("sweep docs.jsonl --format json --target top:30 --pivot en", fields=SWEEP),
    "sweep-share": case("sweep docs.jsonl --format jsonl --score share", fields=SWEPT_SHARES),
    "sweep-store": case(
        f"ingest docs.jsonl --preset faithful --store s.db {EPOCHS}",
        "sweep --store s.db --format json --n 10",
        fields=SWEEP,
    ),
    "pairs": case("pairs docs.jsonl --preset faithful", fields=PAIR),
    "pairs-stem": case("pairs docs.jsonl --preset faithful --representation stem --k 4", fields=PAIR),
    "pairs-k-min": case("pairs docs.jsonl --preset faithful --k-min 3", fields=PAIR),
    "pairs-share": case("pairs docs.jsonl --k-min 3 --score share --preset best", fields=PAIR),
    "pairs-pivot": case("pairs docs.jsonl --preset faithful --k-min 3 --representation pivot", fields=PIVOT_PAIR),
    "pairs-cross-language": case(
        "pairs docs.jsonl --preset faithful --k-min 3 --representation pivot --cross-language", fields=PIVOT_PAIR
    ),
    "pairs-between-files": case("pairs docs.jsonl other.jsonl --preset faithful --between-files", fields=PAIR),
    "pairs-statistics": case(
        f"ingest docs.jsonl --preset faithful --store s.db {EPOCHS}",
        "pairs docs.jsonl --statistics s.db:2",
        fields=PAIR,
    ),
    "dedup": case("dedup docs.jsonl --preset faithful --out out.jsonl", fields=DOCUMENT, file="out.jsonl"),
    "dedup-summary": case("dedup docs.jsonl --preset faithful --out out.jsonl", fields=SUMMARY),
    "dedup-annotate": case(
        "dedup docs.jsonl --preset faithful --out out.jsonl --annotate",
        fields=f"{DOCUMENT} status of group",
        file="out.jsonl",
    ),
    "dedup-other-settings": case(
        "dedup docs.jsonl --out out.csv --show longest --duplicate-rule contained --preset similar",
        fields=DOCUMENT,
        file="out.csv",
    ),
    "ingest-stem": case("ingest docs.jsonl --preset faithful --store s.db --representation stem", fields=VERDICT),
    "ingest-morph": case("ingest docs.jsonl --preset faithful --store s.db", fields=VERDICT),
    "ingest-epochs": case(f"ingest docs.jsonl --preset faithful --store s.db {EPOCHS}", fields=VERDICT),
    "ingest-other-settings": case(
        f"ingest docs.jsonl --preset faithful --store s.db {EPOCHS} --target signature --weighting tfidf "
        "--duplicate-rule contained --within outlets --exact-rule opening --show complete "
        "--loss-limit 0.5 --window-days 3",
        fields=VERDICT,
    ),
    "ingest-keep": case("ingest docs.jsonl --preset faithful --store s.db --keep originals", fields=DOCUMENT),
    "search": case(
        "ingest docs.jsonl --preset faithful --store s.db",
        f"search --store s.db --k-min 1 --text {QUERY}",
        fields=FOUND,
    ),
    "passages-find": case("passages find docs.jsonl", fields=PASSAGE),
    "passages-low-idf-sig": case("passages find docs.jsonl --feature low-idf-sig", fields=PASSAGE),
    "passages-spotsigs": case("passages find docs.jsonl --feature spotsigs", fields=PASSAGE),
    "passages-i-match": case("passages find docs.jsonl --feature i-match", fields=PASSAGE),
    "passages-novel": case("passages find docs.jsonl --novel", fields=NOVELTY),
    "passages-digests": case("passages find docs.jsonl --digests", fields=DIGEST),
    "passages-boilerplate": case("passages find docs.jsonl --list-boilerplate", fields=RECURRING),
    "passages-provenance": case(
        "dedup docs.jsonl --preset faithful --out out.jsonl --annotate", "passages provenance out.jsonl", fields=COPY
    ),
    "compare-pool": case(f"compare docs.jsonl --pool all --methods {CHEAP}", fields=COMPARISON),
    "compare-labels": case(f"compare docs.jsonl --labels labels.jsonl --methods {METHODS}", fields=COMPARISON),
    "evaluate": case("evaluate docs.jsonl --labels labels.jsonl --format jsonl", fields=EVALUATED),
}

NEWS = {
    "sweep": case("sweep docs.jsonl --format jsonl --representation stem", fields=SWEPT),
    "pairs": case("pairs docs.jsonl --preset faithful --k-min 4", fields=PAIR),
    "dedup": case("dedup docs.jsonl --preset faithful --out out.jsonl --annotate", fields=STATUS, file="out.jsonl"),
    "ingest": case("ingest docs.jsonl --preset faithful --store s.db --representation stem", fields=VERDICT),
    "passages": case("passages find docs.jsonl", fields=PASSAGE),
}
ALL_NEWS = {
    **NEWS,
    "sweep-morph": case("sweep docs.jsonl --format json --representation morph", fields=SWEEP),
    "sweep-pivot": case("sweep docs.jsonl --format json --representation pivot", fields=SWEEP),
    "ingest-morph": case("ingest docs.jsonl --preset faithful --store s.db", fields=VERDICT),
    "provenance": case(
        "dedup docs.jsonl --preset faithful --out out.jsonl --annotate", "passages provenance out.jsonl", fields=COPY
    ),
    "compare": case(f"compare docs.jsonl --pool all --methods {CHEAP}", fields=COMPARISON),
}
SIZES = {"news-3000": 3_000, "news-all": 10_868}

VARIANTS = [
    ("sweep-jsonl", "", {"LC_ALL": "C", "PYTHONHASHSEED": "7"}),
    ("pairs-pivot", "", {"LC_ALL": "C", "PYTHONHASHSEED": "8"}),
    ("ingest-morph", "--batch-size 37", {}),
    ("ingest-epochs", "--batch-size 23", {"LC_ALL": "C"}),
    ("passages-find", "", {"LC_ALL": "C", "PYTHONHASHSEED": "9"}),
]

PINNED = {
    "demo-json": "6da6f75e4eca6e20559cc8a3a146035f2c786a42d074d91f1054b1ea8dda2908",
    "demo-csv": "c35aecff523fce9dce984e4d7936888e32321287764757d732643fcff9b2e612",
    "sweep-json": "6da6f75e4eca6e20559cc8a3a146035f2c786a42d074d91f1054b1ea8dda2908",
    "sweep-jsonl": "7b998a1bb0ab2e08b0d8bb497e4c85187edf9b9bce0fe5584612383b9ab92e3b",
    "sweep-other-settings": "80544463f14e122a3770cc31f7512ed26e0c73fd3d9a848194ebf3780096d864",
    "sweep-top": "00c445dc4599454bc96dc5b4408e6302936fa6131f787d8b426f93738c414446",
    "sweep-share": "c359c686fca45fa1b8b80c1bd6b633c759290f565115393e0a81a3a976db2759",
    "sweep-store": "5cf2d8f08d177d8325d688ae82673ade88192f33b8483c939d836ddeaac77507",
    "pairs": "4770cd20f2c7fa78c75029950653efd72c3e934aa18d89d024cec6cfd93b63c2",
    "pairs-stem": "00286a24b15f4453d158761d558856e61c296b759af9aee12f9f83fd8bc7782d",
    "pairs-k-min": "bd62039748177ffe94814553c0bd4dc3c17db7f998f940f1978f0911a0a31b9f",
    "pairs-share": "dab2d4a45f87924f10f9e32d978008e2c4d8c486f7300137c32352d5e369c76e",
    "pairs-pivot": "195cc3eef31e1221bfc4b17dc204facbdf187b1b26b74369577f4be8b0d14598",
    "pairs-cross-language": "24f2178cf86a8eb89002be9dc57e3ce8d27fe597117ac744749b14722f1e15d0",
    "pairs-between-files": "e54e10403794a981694832d7da821cb526df1b64419983571d137ce07a973495",
    "pairs-statistics": "b9ee632528414caeaf59f105f300e9ad5111e5cdd959697ddbf030974fb1e600",
    "dedup": "b591c397a9852f8d74e00fd4ffb92eeeeab1ba4864575c770fb8ffab8fe1690f",
    "dedup-summary": "fda446bcb9914620fede893cc458130aa54778f57d133f99a7567cd06c941d77",
    "dedup-annotate": "41359ff8e506cd970861d40317c031e75da13b3f844d993313e93bf5d9cf4479",
    "dedup-other-settings": "7a8382c01a54b95810d8cf665c15481b5613d62324bc6dc493674cf76b5fe0ff",
    "ingest-stem": "470006bb8655a8d36d0715a419b9707e5acaa2fa1d81af2ce31a86a376e8b59e",
    "ingest-morph": "05b1d7ff1d53ee952f4e1491115eec8a583a32592a50ad16cf70220183667651",
    "ingest-epochs": "9f96860c487447816642a0053080763cd73e860c196c6e69bad924d44c5e9561",
    "ingest-other-settings": "0d7cd47dd8b60b8d3a49d9b11a90bf5002e7988a05827fcc662799096ba7c105",
    "ingest-keep": "523a92bf06077987fff60adee0c636eec94682941ce20757d6f7c8dc3ba0b8fd",
    "search": "228c0aacd806bfc9f5be45e9ad86bc3a2d823bb89416a21973d497ee93f52bb3",
    "passages-find": "2f9729b046b99432b8875356eeaab6e4d86ad645b2af04e8eac6a4ed4afad4af",
    "passages-low-idf-sig": "04169ec9e94bfea58796a0e945a854b8bdd5b93803dc9096c06cf5384db1cb03",
    "passages-spotsigs": "1134844498a429919510b1d85761c3f9efeccb70d54779b178ace4fc0c7e10c2",
    "passages-i-match": "a066c8bb700f3d289d0832ef3087a80739f1d4012bfdd11278ba78795ff86ffc",
    "passages-novel": "5f6b7605c28457b8ded96cbc4d34a73092eda15ef5bd29941b359c5080ca2cb6",
    "passages-digests": "916893904e903d4be192b7e9eebee42d3d3013e4c260ac7533a2ada38cce9933",
    "passages-boilerplate": "71598c9bca6e618f5e284c1858f17f64cabd70a98cf2e05ae8ad0ab84bc3a2df",
    "passages-provenance": "2cfe4b330a4637cb5793fafcb985bf59126fec367487b843ac47458d6790a230",
    "compare-pool": "527ab35346790d56e6db7ad6491990d41dad9152e20e2e95e75985880144ebc8",
    "compare-labels": "6ad33e1844c16004aa4525e4c1f8e58fbcd0f7ef296285b93363153f4c57fdb9",
    "evaluate": "3cf2eb837b91306532beb71c70e88ba2a4b261de4e4485fc2a1ced7c21bdbcb0",
    "news-3000-sweep": "cf03b21b44973b609eeee7d4611e045a62a51c3a4c4f888be1ba94a8d542a72d",
    "news-3000-pairs": "1bee2e7446049047803f818cb07d7e8a222c31904754dec28a435beb9304edf7",
    "news-3000-dedup": "311bee3ab1d70a31218f32853098eba3ffc1bab56511a2ab410a49d102f7d6d1",
    "news-3000-ingest": "0cef9df58baec336c0f7cd93b30452b6f01d3dbea627bf2a7c2cd46ae74a9037",
    "news-3000-passages": "d51627d0c5cbed5ed5f7b8ef57b9ef78880eabdfe2f1eec11c63b705a829f990",
    "news-all-sweep": "d0184f67f4ebda29eab1cb4eebcd802a561b84f2c33f7e3a032ffc9565057ed3",
    "news-all-pairs": "afd64e663aa7231cb1bd4a6f7822d6a7827786f4e8885eec9995b853b9557830",
    "news-all-dedup": "63bd02f278b6b701c0fb3110c95fbdf34e56f24e96fff2b05b6b9a1e88cb2dbe",
    "news-all-ingest": "4b53a4961cb9cc12b6da63c2f66b74a1b63c406cd374e305d0ee4a7d247be1a8",
    "news-all-passages": "1359c9e30898454ea0f32f6a78fc454551fffab32130612b4d5048539bf204be",
    "news-all-sweep-morph": "c2556d63d2bd39849f6cd2092658075ba9ddfe0b9f93f554d2d4953d73f969f9",
    "news-all-sweep-pivot": "1bece6f578cf9f3ef666dc50c47f3a2142731aa6a9641107e52f75b52e0418ef",
    "news-all-ingest-morph": "f0b8482716ac0b4461f34eb784008fce4e50008f7a3fb71b37594d59d226ef3a",
    "news-all-provenance": "81490acd37adaf9102da5d7dc8b14d1721f9b009f95dbfcb9bfa3ba80efa87da",
    "news-all-compare": "e758e38fa97f39ec4564b37d4dfc40e51f4c2dfb53efea79d882f6702e894761",
}


@pytest.mark.parametrize("name", [name for name in SAMPLE if name not in RARE])
def test_the_sample_gives_what_it_gave(name, sample, run_command):
    judge(name, rows_of(run_command, SAMPLE[name], sample))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(RARE))
def test_the_sample_gives_what_it_gave_with_other_settings(name, sample, run_command):
    judge(name, rows_of(run_command, SAMPLE[name], sample))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "more", "environment"), VARIANTS)
def test_no_batch_thread_or_locale_changes_it(name, more, environment, sample, run_command):
    judge(name, rows_of(run_command, SAMPLE[name], sample, more, environment))


@pytest.mark.corpus
@pytest.mark.parametrize("name", NEWS)
def test_real_news_give_what_they_gave(name, news, run_command):
    judge(f"news-3000-{name}", rows_of(run_command, NEWS[name], news("news-3000")))


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.parametrize("name", ALL_NEWS)
def test_all_real_news_give_what_they_gave(name, news, run_command):
    judge(f"news-all-{name}", rows_of(run_command, ALL_NEWS[name], news("news-all")))


def test_a_field_that_is_listed_must_be_listed_to_its_end():
    rows = [{"a": 1, "b": {"c": [2], "reason": "prose"}, "seconds": 0.1}]
    assert kept(rows, {"a": None, "b": "c d"}) == [{"a": 1, "b": {"c": [2]}}]
    with pytest.raises(AssertionError, match="list the fields of b"):
        kept(rows, "a b")


def test_every_case_has_its_pin():
    news = [f"news-3000-{name}" for name in NEWS] + [f"news-all-{name}" for name in ALL_NEWS]
    assert sorted(PINNED) == sorted([*SAMPLE, *news])


@pytest.fixture
def sample(tmp_path):
    """A folder with the sample's documents, the last 120 of them as another file, and the labels."""
    shutil.copy(documents_path(), tmp_path / "docs.jsonl")
    shutil.copy(labels_path(), tmp_path / "labels.jsonl")
    lines = documents_path().read_text(encoding="utf-8").splitlines(keepends=True)
    renamed = [json.dumps({**json.loads(line), "id": f"other-{number}"}) for number, line in enumerate(lines[-120:])]
    (tmp_path / "other.jsonl").write_text("\n".join(renamed) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def news(corpora, tmp_path):
    """Makes a folder with the first documents of mdnews."""

    def make(name: str) -> Path:
        with gzip.open(corpora / "mdnews.docs.jsonl.gz", "rb") as lines:
            (tmp_path / "docs.jsonl").write_bytes(b"".join(itertools.islice(lines, SIZES[name])))
        return tmp_path

    return make


def rows_of(
    run: Callable[..., Any], case: Case, folder: Path, more: str = "", environment: dict[str, str] | None = None
) -> list[Any]:
    """Run the commands in the folder and read the rows; only the fields of the case are kept."""
    for command in case.commands:
        last = f"{command} {more}" if command is case.commands[-1] else command
        ran = run(folder, *shlex.split(last), "--quiet", **(environment or {}))
        assert ran.returncode == 0, f"{last}\n{ran.stderr.decode()}"
    text = (folder / case.file).read_text(encoding="utf-8") if case.file else ran.stdout.decode()
    found = kept(read_rows(text, case.file), case.fields)
    missing = listed(case.fields) - {name for row in found for name in row}
    assert not missing, f"{last}: no row has {', '.join(sorted(missing))}"
    return found


def read_rows(text: str, file: str) -> list[Any]:
    if file.endswith(".csv"):
        return list(csv.DictReader(io.StringIO(text)))
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:  # JSON Lines
        return [json.loads(line) for line in text.splitlines()]
    return whole if isinstance(whole, list) else [whole]


def listed(fields: Fields) -> set[str]:
    return set(fields.split() if isinstance(fields, str) else fields)


def kept(value: Any, fields: Fields | None, name: str = "rows") -> Any:
    if isinstance(value, list):
        return [kept(one, fields, name) for one in value]
    if not isinstance(value, dict):
        return value
    assert fields is not None, f"list the fields of {name}"
    inner = fields if isinstance(fields, dict) else dict.fromkeys(fields.split())
    return {field: kept(value[field], inner[field], field) for field in inner if field in value}


def judge(name: str, rows: list[Any]) -> None:
    """Compare the rows with the pin, or write them where ``PINNED_ROWS`` says."""
    lines = [json.dumps(row, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows]
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    folder = os.environ.get("PINNED_ROWS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / name).write_text("".join(lines), encoding="utf-8")
    assert digest == PINNED.get(name), (
        f"{name}: {len(rows)} rows with SHA-256 {digest} are not those pinned; first rows: "
        f"{'; '.join(map(identity, rows[:5]))}. The docstring of {Path(__file__).name} says how to see what changed"
    )


def identity(row: dict[str, Any]) -> str:
    """What tells a row from the others: its first fields."""
    return (
        " ".join(str(value) for value in list(row.values())[:3] if not isinstance(value, list | dict)) or "the result"
    )
