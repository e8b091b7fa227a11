"""Lemmas of English nouns and names, the terms of the pivot space.

English has no morphological dictionary here. Rules reduce plurals and possessives if the singular is in our tables or
frequent enough compared with the plural; verbs and adjectives stay unchanged. A word that is mostly one of these is no
noun, unless our tables have it. Nouns are recognised by our tables, by their suffix, and by the forms in wordfreq: a
noun has a possessive (committee's) and a plural about as frequent as itself; a verb has a past tense (denied).
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from infostream_dedup.language.lexicon.frequency import form_frequencies, part_of_speech
from infostream_dedup.language.lexicon.name_tables import NameKind, is_agency, names
from infostream_dedup.language.lexicon.tables import APOSTROPHE
from infostream_dedup.language.lexicon.word_lists import concepts, excluded, stop_words
from infostream_dedup.language.morphology.readings import is_roman_numeral
from infostream_dedup.language.text.tokens import Shape

RULES: Final = 4
"""Version of the rules in this file, a cache key; increase it whenever an answer changes."""

_MOST_REMEMBERED: Final = 1 << 19

_IRREGULAR: Final = dict(
    pair.split(":")
    for pair in """men:man women:woman children:child people:person peoples:people persons:person feet:foot teeth:tooth
    geese:goose mice:mouse lice:louse oxen:ox wolves:wolf knives:knife lives:life wives:wife leaves:leaf halves:half
    shelves:shelf thieves:thief calves:calf loaves:loaf elves:elf scarves:scarf hooves:hoof selves:self dice:die
    media:media data:data criteria:criterion phenomena:phenomenon bacteria:bacterium memoranda:memorandum
    referenda:referendum strata:stratum crises:crisis analyses:analysis bases:base theses:thesis hypotheses:hypothesis
    diagnoses:diagnosis prognoses:prognosis oases:oasis parentheses:parenthesis syntheses:synthesis axes:axis
    alumni:alumnus fungi:fungus cacti:cactus stimuli:stimulus nuclei:nucleus radii:radius bureaux:bureau
    chateaux:chateau plateaux:plateau buses:bus gases:gas lenses:lens viruses:virus statuses:status censuses:census
    canvases:canvas biases:bias atlases:atlas aliases:alias movies:movie cookies:cookie calories:calorie zombies:zombie
    rookies:rookie selfies:selfie hippies:hippie veggies:veggie prairies:prairie ties:tie pies:pie lies:lie shoes:shoe
    toes:toe foes:foe caches:cache niches:niche headaches:headache aches:ache quizzes:quiz""".split()
)
_SAME_IN_PLURAL: Final = frozenset(
    """news series species politics economics physics mathematics athletics gymnastics ethics logistics statistics
    electronics robotics genetics linguistics aerobics acoustics mechanics dynamics obstetrics pediatrics paediatrics
    geopolitics headquarters crossroads barracks goods customs arms clothes trousers jeans shorts pants tights glasses
    scissors binoculars pyjamas pajamas thanks congratulations alms lens gas bus plus minus virus status census campus
    bonus focus chorus circus genius genus surplus corpus consensus chaos cosmos ethos pathos atlas canvas bias alias
    christmas texas kansas arkansas perhaps always afterwards towards besides sometimes whereas does goes measles mumps
    diabetes rabies herpes aids outskirts premises proceeds suds riches remains innings means tennis chess billiards
    darts dominoes checkers draughts olympics paralympics mass pass grass gross abs pus us tos yes hers ours yours
    theirs its his this thus was has is as alas vis gallows sweepstakes debris chassis corps rendezvous faux
    pancreas ananas oasis mars venus jesus moses james charles louis thomas nicholas hans jens lars klaus
    lotus walrus cactus octopus platypus hummus sinus fetus foetus uterus typhus thermos rhinoceros asparagus
    albatross citrus apparatus nexus versus prospectus syllabus impetus radius stimulus nucleus alumnus fungus abacus
    bogus hiatus locus modus opus onus papyrus emphasis""".split()
)
_OTHER_WORDS: Final = frozenset(
    """able academic accuse achieve actual admit affect afraid african agree al alive allow alter american angry
    announce annoy annual appear apply appreciate argentine argue arrest arrive asian ask assist ate athletic
    australian automotive avoid aware bad basic became become began begin begun belgian believe belong bend bent
    betray big black bland blank blind blue blunt bother bought bound brazilian break brew bright bring british
    broad broke broken brought brown build built buy cast catalan catch cheap chemical chew choose chose chosen
    civil clean clear click coincide cold come commercial complete consider consist contend continental continue
    cool correspond cosmetic create creep criminal crimson crisp cuban daily dangerous dark dart dead deadly decide
    defend deny depend describe deserve destroy develop did differ difficult digital direct dirty discuss divine do
    domestic done drew drive driven drove dub dutch dynamic early easy eat eaten economic egyptian eighty electric
    electronic eleven employ empty enhance enjoy ensure equal essential establish ethic european evangelical evolve
    excel exist expect expensive explain extra fall fallen false fast federal feel fell fifteen fifty fight final
    financial find fluffy follow force foreign former forty foster fought found free french frozen fuck full
    fundamental gave genetic geographic german get give given glad global go golden gone good got gray great green
    grey grim gross grow handy happen happy hard heal hear heavy held hence hi high hindu hold hollow hong hot http
    huge hurt idle immortal imperial implement important impossible improve include increase individual indonesian
    indoor infinite insist interactive international involve iraqi israeli italian join judicial keep kenyan kept
    key kinetic knew know known lame large late launch lay lead lean learn leave led left legendary let lethal light
    likely linguistic listen live local long loom lose lost lucky lush lust made main maintain majestic major make
    martial mean medical meet mention met mexican military minor mock moist monthly mortal mutual national neat
    necessary new nigerian nineteen ninety northeast northeastern northwest northwestern norwegian nuclear occur
    offer old olive olympic open orbital outdoor oval oversee own paid pakistani palestinian pay persist petty
    philippine political poor possible pre prefer prepare prevent prime prior pro promote protect proud prove
    provide purple put queer quick ran random rapid raw reach ready real receive recent red reduce refer reformed
    refuse regional remain remember remove require resemble reside resist respond reveal reverend rich rip rise
    risen rose royal run russian sad safe said salty sane sang sat saudi save saw say scarlet see seek seem seen
    sell semantic send sent separate serious serve set seventeen seventy severe shady shake sharp short shorter show
    shown significant simple sing sit sixteen sixty skinny skip slam sleepy slippery slow small smart social solar
    somali sometime sorry sought southeast southeastern southwest spanish speak special specific spend spent spin
    spoke spoken spooky stand steam steer stellar stood strange strong subordinate suck suggest sung supernatural
    sure switch take taken teach tell tend textile thank think thirteen thirty thought told took trek true try tuck
    twenty twist ukrainian ultra unable unaware undermine understand understood unite universal unlikely urge visual
    vow wait wake want warm warn weak wear weekly welcome went whatever whisper white win won wooden write written
    wrote yellow young youngest""".split()
)
"""Frequent verbs and adjectives that wordfreq cannot distinguish from nouns: their apparent plurals and past tenses are
other words. Nouns of our tables stay nouns."""

_NOUN_ENDINGS: Final = tuple(
    """tion sion ment ness ity ism ist ship hood ance ence ancy ency logy graphy phobia cracy crat metry scope ette dom
    eer tude cide itis osis ware ery ology nomy wright smith graph gram""".split()
)
_OTHER_ENDINGS: Final = tuple("ly ous ful less able ible ish ed ing ize ise ify iest ward wise some".split())
_LONGEST_ABBREVIATION: Final = 6
_SHORTEST_NOUN: Final = 3
_SIBILANT: Final = ("xes", "ches", "shes", "sses", "zes", "oes")
_KEPT_S: Final = ("ss", "us", "is")
_LISTED: Final = 1e-4  # a word in our tables counts as much as a word with this share of the running words
_MONTH: Final = "march"  # the only month that is also a noun of our tables if written in lower case
_NOUN: Final = "NN"
_NUMBER: Final = "CD"
_SHARE_OF_PLURAL: Final = 0.1
_SHARE_OF_POSSESSIVE: Final = 1e-3
_SHARE_OF_OWN_PLURAL: Final = 0.3
_SHARE_OF_PAST: Final = 0.5
_COMMON: Final = 2e-6  # a more frequent word without any sign of a noun is not a noun


@lru_cache(maxsize=_MOST_REMEMBERED)
def lemma(form: str) -> str:
    """Return the singular of a noun or name without its possessive; other words as they are.

    >>> lemma("countries"), lemma("womenʼs"), lemma("series"), lemma("vice-presidents")
    ('country', 'woman', 'series', 'vice-president')
    """
    word = without_possessive(form)
    head, hyphen, last = word.rpartition("-")
    return f"{head}{hyphen}{_singular(last)}" if hyphen else _singular(word)


def noun_term(form: str, shape: Shape) -> str | None:
    """Return the lemma of a noun or of a proper name, the English term of the pivot space; ``None`` for other words."""
    return _noun_term(form, int(shape))


def is_listed_noun(word: str) -> bool:
    """Whether our tables have the word as an English common noun."""
    return word in _nouns()


def is_seldom_noun(term: str) -> bool:
    """Whether a noun of our tables is mostly a verb or an adjective (suspect): it is matched, but is no key term."""
    return is_listed_noun(term) and _is_other_word(term, term, capital=False)


def without_possessive(form: str) -> str:
    """Return a key form without the ending of a possessive."""
    return form.removesuffix(f"{APOSTROPHE}s").removesuffix(APOSTROPHE) or form


def _singular(word: str) -> str:
    irregular = _IRREGULAR.get(word)
    if irregular:
        return irregular
    if word.endswith("men") and len(word) > len("women") and _weight(word[:-2] + "an") > _weight(word):
        return word[:-2] + "an"
    if len(word) < 4 or not word.endswith("s") or word.endswith(_KEPT_S) or word in _SAME_IN_PLURAL:
        return word
    if word in names("en") and word[:-1] not in _nouns():
        return word
    best = max(_singulars(word), key=_weight)
    weight = _weight(best)
    return best if weight and weight >= _SHARE_OF_PLURAL * form_frequencies("en")(word) else word


def _singulars(word: str) -> tuple[str, ...]:
    """Candidates for the singular of a plural, likeliest first: ``max`` keeps the first of equals."""
    if word.endswith("ies"):
        return (word[:-3] + "y", word[:-1])
    if word.endswith(_SIBILANT):
        return (word[:-2], word[:-1])
    return (word[:-1],)


def _weight(word: str) -> float:
    return form_frequencies("en")(word) + (_LISTED if word in _nouns() else 0.0)


@lru_cache(maxsize=_MOST_REMEMBERED)
def _noun_term(form: str, shape: int) -> str | None:
    word = without_possessive(form)
    if len(word) < 2 or (not word[0].isascii() and word[0] > "\u024f") or word in excluded("en"):
        return None
    listed = names("en").get(word)
    if shape != Shape.LOWER and (
        word == _MONTH or (is_agency(word, "en") and part_of_speech(word) is None and word not in _nouns())
    ):
        return None
    if shape == Shape.UPPER and is_roman_numeral(word):
        return None
    if shape == Shape.UPPER and _is_abbreviation(word, listed is not None and NameKind.ABBREVIATION in listed.kinds):
        return word
    if word in stop_words("en") or form in stop_words("en"):
        return None
    singular = lemma(form)
    if singular in _excluded() or singular in stop_words("en"):
        return None
    if shape != Shape.LOWER and (listed or singular in names("en")):
        return singular
    return singular if _is_noun(word, singular, capital=shape == Shape.CAPITAL) else None


def _is_abbreviation(word: str, listed: bool) -> bool:
    """Whether capitals in mixed-case text are an abbreviation: it is listed, or it is short and not a common word."""
    if listed:
        return True
    common = word in _nouns() or form_frequencies("en")(word) >= _COMMON
    return len(word) <= _LONGEST_ABBREVIATION and word not in stop_words("en") and not common


def _is_noun(word: str, singular: str, *, capital: bool) -> bool:
    if is_seldom_noun(singular):
        return True
    if _is_other_word(word, singular, capital=capital):
        return False
    if singular in _nouns() or singular.rpartition("-")[2] in _nouns():
        return True
    frequency = form_frequencies("en")(singular)
    if capital and frequency < _COMMON:
        return True
    if singular in _OTHER_WORDS or singular.endswith(_OTHER_ENDINGS):
        return False
    if not capital and len(singular) < _SHORTEST_NOUN:
        return False
    if singular.endswith(_NOUN_ENDINGS):
        return True
    if singular != word or _has_possessive(singular, frequency):
        return not _is_verb(singular, frequency) or _has_possessive(singular, frequency)
    if _is_verb(singular, frequency):
        return False
    return frequency < _COMMON or form_frequencies("en")(f"{singular}s") / frequency >= _SHARE_OF_OWN_PLURAL


def _is_other_word(word: str, singular: str, *, capital: bool) -> bool:
    """Whether a word, or the last part of a compound, is mostly a verb, an adjective or a number."""
    first, hyphen, last = word.rpartition("-")
    if hyphen:
        head = first.partition("-")[0]
        numbered = (part_of_speech(head) or "").startswith(_NUMBER) or head in excluded("en")
        return numbered or _is_other_word(last, singular.rpartition("-")[2], capital=False)
    spellings = (word.capitalize(), word, singular) if capital else (word, singular, word.capitalize())
    return not next(filter(None, map(part_of_speech, spellings)), _NOUN).startswith(_NOUN)


def _has_possessive(word: str, frequency: float) -> bool:
    return form_frequencies("en")(f"{word}{APOSTROPHE}s") > _SHARE_OF_POSSESSIVE * frequency


def _is_verb(word: str, frequency: float) -> bool:
    past = word + "d" if word.endswith("e") else word[:-1] + "ied" if word.endswith("y") else word + "ed"
    return form_frequencies("en")(past) > _SHARE_OF_PAST * frequency


@cache
def _nouns() -> frozenset[str]:
    """Return the English single words of our table of nouns, and the last words of its phrases."""
    return frozenset(word.rpartition(" ")[2] for concept in concepts() for word in concept.words["en"])


@cache
def _excluded() -> frozenset[str]:
    """Words whose Russian equivalents are never key terms (calendar, units, reporting); so they never are, either."""
    out: set[str] = set()
    kept: set[str] = set()
    for concept in concepts():
        group = out if any(word in excluded("ru") for word in concept.words["ru"][:1]) else kept
        group.update(concept.words["en"])
    return frozenset((*map(lemma, out - kept), *excluded("en")))
