"""Lines that many documents repeat, such as footers: learned from documents, and left out of what is compared.

A stream learns as it goes: each document is read by what the earlier ones have taught. A collection is read twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.characters import CODE_POINTS, LABELS, CharacterKind, alphabet
from infostream_dedup.judging.repeated.kernels import fragments as kernels
from infostream_dedup.judging.repeated.kernels import witnesses
from infostream_dedup.language.text.surface_pool import Utf8Texts, encoded, texts_of, texts_of_bytes
from infostream_dedup.machine.arrays import Bools, Ints, Uint8s, Uint64s, offsets_of
from infostream_dedup.model import NO_TIME, Document, DocumentBlock, with_texts

if TYPE_CHECKING:
    from infostream_dedup.documents import ReadingReport


REMEMBERED: Final = 1 << 14
"""Documents from which lines are learned: the last ones, so that memory does not grow with the stream."""

FRAGMENT: Final = np.dtype([("hash", "<u8"), ("words", "u1"), ("marks", "u1"), ("stems", "<u2", kernels.STEMS)])
"""A fragment as a store keeps it: hashes and counts, never words."""

_AT_ONCE: Final = 1 << 12
_DAY: Final = 24 * 3600 * 1_000_000
_OPENING: Final = 5
_SHOWN: Final = 80
_MARKUP: Final = re.compile(r"\]\([^()\s]*\)|<[^<>]*>")  # no part of a line that is shown
_MOST_FREQUENT: Final = 3
_ENDS: Final = " \t\r\n|¦·•▪\ufe0f"  # what is left at the ends of a text whose last line is left out, besides emoji
_EMOJI: Final = ((0x2190, 0x2200), (0x2300, 0x27C0), (0x2B00, 0x2C00))
_CALLS: Final = """
подписаться подписывайся подписывайтесь подпишись подпишитесь подписка подписку подписчиков читать читай читайте читаете
почитать смотреть смотри смотрите слушайте следите узнавайте узнайте прислать присылай присылайте пришлите шлите
отправить отправляйте отправьте предложить предлагайте сообщить сообщайте пишите напишите поделиться поделитесь делитесь
репост репостите ставьте поставьте жми жмите нажмите переходите переходи вступайте вступай присоединяйтесь присоединяйся
заходите добавляйтесь оставайтесь оставляйте комментируйте комментариях обсудить обсуждайте голосуйте поддержите донат
скачать скачайте установите включите зовите приглашайте выделите перепечатка канал канала канале каналы телеграм
телеграмм телеграме телеграмме телеграму телегу телеге бот бота боту боте чат чата чате соцсети соцсетях соцсетей ссылка
ссылке ссылки ссылкой ютуб ютубе вконтакте инстаграм инстаграме вотсап вотсапе ватсап ватсапе вацап вайбер вайбере дзен
дзене фейсбук фейсбуке тикток тиктоке твиттер твиттере одноклассниках мессенджер мессенджере мессенджерах рассылка
рассылку подробнее подробности лайк лайки рекламодателям реклама рекламе редакция редакции редакцию редактору
підписатися підписатись підписуйся підписуйтесь підписуйтеся підпишись підпишіться підписку підписників читати читаєте
дивитися дивіться слухайте стежте слідкуйте дізнавайтеся дізнавайтесь надіслати надсилай надсилайте надішліть шліть
пишіть напишіть повідомити повідомляйте запропонувати пропонуйте поділитися поділіться діліться поширте поширюйте тисни
тисніть натисніть переходьте приєднатися приєднуйся приєднуйтесь приєднуйтеся долучайся долучайтесь долучайтеся заходьте
додавайтесь залишайтеся залишайтесь коментуйте коментарях обговорити підтримайте донатити завантажити завантажте
встановіть увімкніть кличте запрошуйте виділіть передрук каналі каналу ботові боті чаті соцмережі соцмережах соцмереж
посилання посиланням застосунок застосунку розсилку докладніше детальніше подробиці вподобайки вподобайку телеграмі
інстаграмі ютубі вайбері вацапі фейсбуку фейсбуці тікток тіктоці твітері месенджер месенджері месенджерах рекламодавцям
редакцію subscribe subscribers subscription follow join share send read watch listen click tap download install like
comment donate sign newsletter newsletters channel channels chat bot telegram whatsapp viber facebook instagram twitter
youtube tiktok app link links advertise advertising feedback reprint reprints reproduction republished republication
copyright threads linkedin notifications abonați abonaţi abonează urmărește urmăriți urmăriţi citește citiți citiţi
citeşte trimite trimiteți trimiteţi distribuie distribuiți distribuiţi alătură alăturați alăturaţi canalul rețelele
reţelele redacția redacţia
"""
"""Words of calls to subscribe, to write, to read on; at the end of a text, a fragment of which a third are these."""
_WORDS_OF_CALLS: Final = """
читателей читатели комментарии сайт сайте сайта сетях приложение приложении приложения группе группу далее полностью
источник класс друзьями друзей рекламы реквизиты админ админу сотрудничество обратная обратной связь связи ошибку
опечатку мышью мышкой нажав новость новости наш наша наше наши нашего нашей нашем нашему наших нами нас нам мы вами вы
поддержать материалы материалов копирование права защищены авторских авторском авторов мнение разделять редакцией лента
читачів коментарі сайті сайту мережах додаток додатку розсилка групі групу далі джерело друзям друзями реклами реквізити
адмін адміну співпраця зворотний зв язок зв'язок помилку мишкою новину новини нашої нашому нашим ми ви копіювання
захищені авторські матеріалів думка поділяє редакція редакції стрічка підтримати site website bio feed friends friend us
our ours here inbox email editor editors newsroom contact mistake typo suggest story stories support donation signup tip
tips write reading more rights reserved via updates elsewhere permission prohibited redistributed alerts continue full
comments visit mai multe știri ştiri canal nostru noastră noi sociale comentarii aplicația aplicaţia publicitate
prieteni drepturile rezervate sursa
"""
"""Words that calls have beside these."""
_ROOM_FOR_CALLS: Final = 1 << 11
_BORDERS: Final = "\n\r\u2028\u2029|¦·•▪"


@cache
def signs() -> kernels.Signs:
    """Kinds of characters, with scratch memory for one thread."""
    characters = alphabet()
    kinds = np.zeros(CODE_POINTS, dtype=np.uint8)
    of_kind = {
        CharacterKind.SMALL: kernels.LETTER, CharacterKind.CAPITAL: kernels.LETTER, CharacterKind.DIGIT: kernels.DIGIT,
        CharacterKind.DROPPED: kernels.DROPPED, CharacterKind.APOSTROPHE: kernels.JOINER,
        CharacterKind.POINT: kernels.POINT,
    }  # fmt: skip
    for kind, number in of_kind.items():
        kinds[characters.kinds == kind] = number
    whole = "".join(map(chr, range(CODE_POINTS)))
    kinds[[found.start() for found in re.finditer("\\s", whole)]] = kernels.SPACE
    for number, characters_of in ((kernels.STOP, "!?…"), (kernels.CLOSING, '"»”“)]}_*'), (kernels.BORDER, _BORDERS)):
        kinds[[ord(sign) for sign in characters_of]] = number
    for begin, end in _EMOJI:
        kinds[begin:end] = kernels.BORDER
    state, stems = np.zeros(kernels.STATES, dtype=np.int64), np.zeros(kernels.STEMS, dtype=np.uint16)
    found = kernels.Signs(kinds, characters.folded, state, stems, np.zeros(_ROOM_FOR_CALLS, dtype=np.uint64))
    of_strength = ((_CALLS, kernels.STRONG), (_WORDS_OF_CALLS, kernels.WEAK), (" ".join(LABELS), kernels.UNCOUNTED))
    for words, strength in of_strength:
        texts = texts_of(sorted(words.split()))
        kernels.enter_words(texts.data, texts.offsets, found, strength)
    return found


def fragments_of(texts: Utf8Texts, *, only_first: bool = False, chosen: Bools | None = None) -> kernels.FragmentRows:
    """Read the first and last fragments of titles and texts, or of the chosen ones: bool (documents,)."""
    documents = len(texts)
    shape = (documents, kernels.FRAGMENTS)
    found = kernels.FragmentRows(
        np.zeros(documents, dtype=np.int64),
        np.empty(shape, dtype=np.uint64),
        np.empty(shape, dtype=np.uint8),
        np.empty(shape, dtype=np.uint8),
        np.empty((documents, kernels.FRAGMENTS * kernels.STEMS), dtype=np.uint16),
        np.empty(shape, dtype=np.int64),
        np.empty(shape, dtype=np.int64),
    )
    scratch = signs()._replace(
        state=np.zeros(kernels.STATES, dtype=np.int64), stems=np.zeros(kernels.STEMS, dtype=np.uint16)
    )
    kernels.read_fragments(
        texts.data, texts.offsets, scratch, found, only_first, np.zeros(0, dtype=np.bool_) if chosen is None else chosen
    )
    return found


class LineLearner:
    """Learns repeated lines from documents in order; what a document teaches serves those after it.

    Everything follows from the rows of the last ``REMEMBERED`` documents, so that a store need keep nothing else.
    With ``collects``, the lines that were repeated earlier are also kept, for ``known``.
    """

    def __init__(self, *, collects: bool = False) -> None:
        self._collects = collects
        self._past = _documents(REMEMBERED)
        self._lines = _counts(1 << 10)
        self._rests = np.empty((2, kernels.FRAGMENTS * kernels.STEMS), dtype=np.uint16)
        self._known: list[Uint64s] = []
        self._sources: dict[str | None, int] = {None: int(witnesses.NOBODY)}

    def learn(self, rows: kernels.FragmentRows, sources: Sequence[str | None], times: Ints) -> Uint8s:
        """Learn from documents; return the marks of their fragments, uint8 (documents, FRAGMENTS)."""
        given = _not_learned(rows, self._numbers(sources), _days(times))
        for begin in range(0, len(rows.counts), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            whole: dict[str, Any] = {name: column[part] for name, column in given._asdict().items()}
            some = witnesses.PastDocuments(**whole)
            self._make_room(len(some.counts))
            lost = np.empty(2 * kernels.FRAGMENTS * len(some.counts) * self._collects, dtype=np.uint64)
            size = np.zeros(1, dtype=np.int64)
            witnesses.learn(self._past, some, self._lines, self._rests, lost, size)
            if size[0]:
                self._known.append(np.unique(lost[: size[0]]))
        return given.marks

    def known(self) -> Uint64s:
        """Keys of all lines that are or were repeated, ascending."""
        found = np.empty(int(self._lines.used[0]), dtype=np.uint64)
        size = witnesses.known_keys(self._past, self._lines, found)
        return np.unique(np.concatenate([*self._known, found[:size]]))

    def resume(self, ordinals: Ints, blobs: Sequence[bytes], sources: Sequence[str | None], times: Ints) -> None:
        """Take in the last ``REMEMBERED`` stored documents, in order, as if it had learned from them."""
        given = _documents(len(blobs))
        for number, blob in enumerate(blobs):
            rows = np.frombuffer(blob, dtype=FRAGMENT)
            size = given.counts[number] = len(rows)
            given.hashes[number, :size], given.words[number, :size] = rows["hash"], rows["words"]
            given.marks[number, :size] = rows["marks"]
            given.stems[number, : size * kernels.STEMS] = rows["stems"].ravel()
        given = given._replace(sources=self._numbers(sources), days=_days(times))
        self._make_room(len(blobs))
        witnesses.resume(
            self._past, given, ordinals, self._lines, np.zeros(0, dtype=np.uint64), np.zeros(1, dtype=np.int64)
        )

    def skip_to(self, ordinal: int) -> None:
        """Continue with a document of a given ordinal."""
        self._past.next[0] = ordinal

    def _numbers(self, sources: Sequence[str | None]) -> Uint64s:
        known = self._sources
        for source in sources:
            if source not in known:
                known[source] = number_of(source)
        found = np.array([known[source] for source in sources], dtype=np.uint64)
        if len(known) > _AT_ONCE:
            self._sources = {None: int(witnesses.NOBODY)}
        return found

    def _make_room(self, documents: int) -> None:
        wanted = 2 * (int(self._lines.used[0]) + documents * (2 * kernels.FRAGMENTS + 1))
        if wanted > len(self._lines.keys):
            larger = _counts(1 << wanted.bit_length())
            witnesses.moved(self._lines, larger)
            self._lines = larger


_NONE: Final = np.zeros(0, dtype=np.int64)


def _not_learned(rows: kernels.FragmentRows, sources: Uint64s, days: Ints = _NONE) -> witnesses.PastDocuments:
    """Documents of whose fragments nothing is known but which are calls."""
    counted = np.arange(kernels.FRAGMENTS) < rows.counts[:, None]
    marks = np.where(counted, rows.flags & kernels.CALL, 0).astype(np.uint8)
    return witnesses.PastDocuments(rows.counts, rows.hashes, rows.words, marks, rows.stems, sources, days, _NONE, _NONE)


def number_of(source: str | None) -> int:
    """64-bit hash of a source; 0 without one."""
    if not source:
        return int(witnesses.NOBODY)
    return int.from_bytes(blake2b(encoded(source), digest_size=8).digest(), "little") | 2


def blobs_of(rows: kernels.FragmentRows, marks: Uint8s) -> list[bytes]:
    """What a store keeps of each document."""
    packed = np.zeros((len(rows.counts), kernels.FRAGMENTS), dtype=FRAGMENT)
    packed["hash"], packed["words"], packed["marks"] = rows.hashes, rows.words, marks
    packed["stems"] = rows.stems.reshape(-1, kernels.FRAGMENTS, kernels.STEMS)
    return [row[:size].tobytes() for row, size in zip(packed, rows.counts.tolist(), strict=True)]


def known_marks(rows: kernels.FragmentRows, sources: Sequence[str | None], known: Uint64s) -> Uint8s:
    """Mark the fragments of documents that are known lines: uint8 (documents, FRAGMENTS)."""
    numbers = {source: number_of(source) for source in dict.fromkeys(sources)}
    given = _not_learned(rows, np.array([numbers[source] for source in sources], dtype=np.uint64))
    witnesses.mark(given, known)
    return given.marks


def openings_of(
    rows: kernels.FragmentRows, sources: Sequence[str | None], times: Ints, marks: Uint8s | None = None
) -> Ints:
    """Hash the first fragment and the day of each document: int64 (documents,), 63 bits.

    Two sources that begin alike on one day report the same news, whatever follows, be it a footer not known yet. Of 24
    such posts that no other rule had found, 24 were the same news. Repeated lines are no first fragment. -1 for a
    document without source or date, and for a first fragment of fewer than five words or with a figure.
    """
    number, told = np.arange(len(rows.counts)), np.arange(kernels.FRAGMENTS) < rows.counts[:, None]
    if marks is not None:
        told &= (marks & witnesses.LEFT_OUT) == 0
    first = np.argmax(told, axis=1)
    begins = told[number, first] & (times != NO_TIME)
    begins &= (rows.words[number, first] >= _OPENING) & (rows.flags[number, first] & kernels.FIGURE == 0)
    begins &= np.array(list(map(bool, sources)), dtype=np.bool_)
    days = _days(times).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return np.where(begins, ((rows.hashes[number, first] ^ days) >> np.uint64(1)).astype(np.int64), -1)


@dataclass(slots=True)
class LeftOut:
    """What was left out of documents."""

    documents: int = 0  # number of documents that lost a line
    lines: Counter[int] = field(default_factory=Counter)  # how many times each line was left out, by its hash
    shown: dict[int, str] = field(default_factory=dict)  # the line as it was met first, shortened

    def add(self, later: LeftOut) -> None:
        """Add what was left out of later documents."""
        self.documents += later.documents
        self.lines.update(later.lines)
        for line, shown in later.shown.items():
            self.shown.setdefault(line, shown)

    def note(self, report: ReadingReport) -> None:
        """Report how many documents lost lines, and the most frequent lines."""
        counts: Counter[str] = Counter()
        for line, times in self.lines.items():
            counts[self.shown[line]] += times
        report.shortened = self.documents
        report.repeated_lines = dict(sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_MOST_FREQUENT])


class Shortened(NamedTuple):
    """A document without its repeated lines."""

    number: int  # number of the document
    title: bytes  # what is left of the title, in UTF-8
    text: bytes  # what is left of the text

    def of(self, document: Document) -> Document:
        """The document with the title and text that are left."""
        return with_texts(document, self.title.decode(), self.text.decode())


def shortened(
    texts: Utf8Texts,
    title_ends: Ints,
    bodies: Ints,
    found: tuple[kernels.FragmentRows, Uint8s],
    left_out: LeftOut,
    apart: Sequence[tuple[int, int, int]] = (),
) -> Iterator[Shortened]:
    """Yield documents without repeated lines and the parts that stand ``apart``: number, begin and end, ascending."""
    rows, marks = found
    numbers, places = np.nonzero(marks & witnesses.LEFT_OUT)
    if not (len(numbers) or apart):
        return
    lines = rows.hashes[numbers, places].tolist()
    spans = list(zip(rows.begins[numbers, places].tolist(), rows.ends[numbers, places].tolist(), strict=True))
    left_out.lines.update(lines)
    for line, (begin, end) in zip(lines, spans, strict=True):
        if line not in left_out.shown:
            written = texts.data[begin:end].tobytes().decode()
            plain = _MARKUP.sub(" ", written).strip(f"{_ENDS}[]*_") or written.strip(_ENDS)
            left_out.shown[line] = " ".join(plain.split())[:_SHOWN]
    left_out.documents += len(np.unique(numbers))
    if apart:
        every = sorted([*zip(numbers.tolist(), spans, strict=True), *((number, (a, b)) for number, a, b in apart)])
        numbers, spans = np.array([number for number, _ in every]), [span for _, span in every]
    changed, firsts = np.unique(numbers, return_index=True)
    bounds = [column[changed].tolist() for column in (texts.offsets, title_ends, bodies, texts.offsets[1:])]
    parts = pairwise([*firsts.tolist(), len(spans)])
    for number, part, begin, title_end, body, end in zip(changed.tolist(), parts, *bounds, strict=True):
        out = [(first - begin, last - begin) for first, last in spans[slice(*part)]]
        whole = texts.data[begin:end].tobytes()
        title, text = _kept(whole, 0, title_end - begin, out), _kept(whole, body - begin, end - begin, out)
        yield Shortened(number, title, text)


def without_lines(block: DocumentBlock, cut: Sequence[Shortened]) -> DocumentBlock:
    """The documents with what is left of those that lost lines; titles and texts are joined again."""
    sizes, begins, bounds = np.diff(block.offsets), block.bodies - block.offsets[:-1], block.offsets.tolist()
    titles, characters = block.titles - block.offsets[:-1], block.characters.copy()
    pieces, done = [], 0
    for number, title, text in cut:
        apart = title + b"\n" if title and not text.startswith(title) else b""
        # The documents between two that change are one run of bytes.
        pieces += [block.data[bounds[done] : bounds[number]].tobytes(), apart, text]
        sizes[number], begins[number], done = len(apart) + len(text), len(apart), number + 1
        titles[number], characters[number] = len(title), (len(title.decode()), len(text.decode()))
    pieces.append(block.data[bounds[done] : bounds[-1]].tobytes())
    offsets, changed = offsets_of(sizes), {one.number: one for one in cut}

    def bare(number: int) -> Document:
        found = block.without_text(number)
        return changed[number]._replace(text=b"").of(found) if number in changed else found

    return replace(
        block,
        data=texts_of_bytes(pieces).data,
        offsets=offsets,
        titles=offsets[:-1] + titles,
        bodies=offsets[:-1] + begins,
        characters=characters,
        without_text=bare,
        given=None,
        whole=lambda number: changed[number].of(block[number]) if number in changed else block.whole(number),
        record=lambda _: None,
    )


def _kept(whole: bytes, begin: int, end: int, spans: Sequence[tuple[int, int]]) -> bytes:
    """What is left of a part of a text without some spans; ends that are cut have no bars and emoji."""
    pieces, at = [], begin
    for first, last in spans:
        if first < end and last > begin:
            pieces.append(whole[at : max(at, first)])
            at = max(at, min(last, end))
    if not pieces:
        return whole[begin:end]
    text = b"".join([*pieces, whole[at:end]]).decode().strip(_ENDS)
    borders = *_EMOJI, (CODE_POINTS, 1 << 21)
    while text and any(begin <= ord(text[-1]) < end for begin, end in borders):
        text = text[:-1].rstrip(_ENDS)
    return text.encode()


def _days(times: Ints) -> Ints:
    return np.where(times == NO_TIME, -1, np.maximum(times // _DAY, 0))


def _documents(rows: int) -> witnesses.PastDocuments:
    shape = (rows, kernels.FRAGMENTS)
    return witnesses.PastDocuments(
        counts=np.zeros(rows, dtype=np.int64),
        hashes=np.zeros(shape, dtype=np.uint64),
        words=np.zeros(shape, dtype=np.uint8),
        marks=np.zeros(shape, dtype=np.uint8),
        stems=np.zeros((rows, kernels.FRAGMENTS * kernels.STEMS), dtype=np.uint16),
        sources=np.zeros(rows, dtype=np.uint64),
        days=np.zeros(rows, dtype=np.int64),
        numbers=np.zeros(rows, dtype=np.int64),
        next=np.zeros(1, dtype=np.int64),
    )


def _counts(size: int) -> witnesses.LineCounts:
    return witnesses.LineCounts(
        np.zeros(size, dtype=np.uint64),
        np.zeros(size, dtype=np.uint8),
        np.zeros(size, dtype=np.int32),
        np.empty((size, witnesses.WITNESSES), dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )
