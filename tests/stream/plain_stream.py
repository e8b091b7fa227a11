"""A stream decided the slow way: every pair is compared, every rule is written out once more."""

from collections import Counter, defaultdict

from infostream_dedup.stream.clock import DAY


def need(k, a, b, terms):
    shorter = min(a, b)
    whole = shorter >= terms.n or terms.short == "strict"
    return k if whole else max(min(3, k), -(-k * shorter // terms.n))


def numbers_agree(a, b):
    return min(len(a), len(b)) < 3 or 2 * len(a & b) >= max(len(a), len(b))


class PlainStream:
    """Decides about remembered documents; knows no batches, keeps everything."""

    def __init__(self, settings, terms):
        self.settings, self.terms = settings, terms
        self.documents, self.verdicts, self.events = [], [], []
        self.group, self.begun, self.alarmed = {}, {}, set()
        self.oldest = 0
        self.outcomes, self.flagged = defaultdict(list), set()

    def living(self):
        return range(self.oldest, len(self.documents) - 1)

    def members(self, group):
        return [one for one in self.living() if self.group[one] == group]

    def decide(self, document):
        self.documents.append(document)
        self.expire(document)
        allowed = [one for one in self.living() if self.may_link(self.documents[one], document)]
        equal = [one for one in allowed if document.text_hash and self.documents[one].text_hash == document.text_hash]
        enough = len(document.keys) >= 3
        linked = [found for one in allowed if (found := self.linked(one, document))] if enough else []
        repeated = [found for found in linked if found[2]]
        best = max(repeated or linked, key=lambda found: (min(found[3:5]), max(found[3:5]), -found[0]), default=None)
        of = equal[0] if equal else best[0] if best else None
        repeats = bool(equal or repeated)
        passes = self.passes(document, repeats)
        joined = repeats and not passes and self.join(document, of, [found[0] for found in repeated], exact=bool(equal))
        if not joined:
            self.group[document.ordinal] = document.id
        if of is None:
            status, row = ("new" if enough else "insufficient_text"), (None,) * 5
        else:
            status = "similar" if not joined else "exact" if equal else "duplicate"
            forward, backward, met = self.met(self.documents[of], document)
            relation = "equal" if equal else best[1]
            row = (self.documents[of].id, relation, forward, backward, met)
        self.verdicts.append((document.id, status, self.group[document.ordinal], *row))

    def frequencies(self, closed, *, repeats=False):
        """Documents, length and document frequencies by closed epoch and language; of repeats only where counted."""
        found = {}
        for document, verdict in zip(self.documents, self.verdicts, strict=True):
            status, relation = verdict[1], verdict[4]
            again = status in ("exact", "duplicate") or relation in ("template", "updated")
            if document.epoch > closed or (repeats and (self.settings.df_counts == "all" or not again)):
                continue
            one = found.setdefault((document.epoch, document.language), [0, 0, Counter()])
            one[0] += 1
            one[1] += document.length
            one[2].update(document.targets.tolist())
        return {key: (*counts[:2], dict(counts[2])) for key, counts in found.items()}

    def expire(self, document):
        settings, before = self.settings, self.oldest
        if settings.window_documents is not None:
            self.oldest = max(self.oldest, document.ordinal - settings.window_documents)
        if settings.window_days is not None:
            first = next((one.clock for one in self.documents if one.clock), 0)
            limit = document.clock - settings.window_days * DAY
            while self.oldest < document.ordinal and (self.documents[self.oldest].clock or first) < limit:
                self.oldest += 1
        for gone in range(before, self.oldest):
            group = self.group[gone]
            left = any(self.group[one] == group for one in range(gone + 1, document.ordinal))
            if group in self.begun and not left:
                self.events.append((document.ordinal, "expiry", group, None))
                del self.begun[group]
                self.alarmed.discard(group)

    def may_link(self, earlier, document):
        rule = self.settings.within
        same = bool(document.source) and earlier.source == document.source
        return {"all": True, "outlets": not same, "source": same}[rule]

    def met(self, earlier, document):
        weights = defaultdict(int)
        sought = "targets" if self.settings.terms.target == "text" else "keys"
        forward = set(document.keys.tolist()) & set(getattr(earlier, sought).tolist())
        backward = set(earlier.keys.tolist()) & set(getattr(document, sought).tolist())
        for holder, keys in ((document, forward), (earlier, backward)):
            for key, weight in zip(holder.keys.tolist(), holder.weights.tolist(), strict=True):
                if key in keys:
                    weights[self.terms[key]] += weight
        met = tuple(sorted(weights, key=lambda term: (-weights[term], term)))
        return len(forward), len(backward), met

    def linked(self, ordinal, document):
        """Ordinal, relation, whether it is repeated, forward, backward."""
        earlier, settings = self.documents[ordinal], self.settings
        forward, backward, _ = self.met(earlier, document)
        sizes = len(earlier.keys), len(document.keys), settings.terms
        similar, duplicate = need(settings.k_similar, *sizes), need(settings.k_duplicate, *sizes)
        if max(forward, backward) < similar:
            return None
        alike = forward >= duplicate and (backward >= duplicate or settings.duplicate_rule == "contained")
        numbers = set(document.numbers.tolist()), set(earlier.numbers.tolist())
        if alike and settings.templates and not numbers_agree(*numbers):
            return ordinal, self.changed(document, earlier), False, forward, backward
        least = duplicate if alike else similar
        names = {(True, True): "equal", (True, False): "contained", (False, True): "contains"}
        one, other = set(document.targets.tolist()), set(earlier.targets.tolist())
        enough = settings.duplicate_rule == "contained" or len(one & other) >= settings.least_shared * len(one | other)
        return ordinal, names[forward >= least, backward >= least], alike and enough, forward, backward

    def changed(self, document, earlier):
        times = [one.published or one.clock for one in (document, earlier)]
        same_source = bool(document.source) and document.source == earlier.source
        one, other = set(document.targets.tolist()), set(earlier.targets.tolist())
        form = len(one & other) >= 0.4 * len(one | other)
        return "template" if same_source and form and abs(times[0] - times[1]) >= DAY // 2 else "updated"

    def passes(self, document, repeats):
        limit, last = self.settings.loss_limit, self.settings.loss_documents
        if limit is None or not document.source:
            return False
        outcomes = self.outcomes[document.source]
        outcomes.append(repeats)
        share = sum(outcomes[-last:]) / last
        if len(outcomes) < last or share <= limit:
            self.flagged.discard(document.source)
            return False
        if document.source not in self.flagged:
            self.events.append((document.ordinal, "limit", document.source, None))
        self.flagged.add(document.source)
        return repeats

    def chains(self, linked, size):
        return size >= self.settings.chaining_documents and linked < self.settings.chaining_density * size

    def join(self, document, of, repeated, *, exact):
        group = self.group[of]
        begun = {self.group[one]: self.begun.get(self.group[one], one) for one in sorted([*repeated, of], reverse=True)}
        linked = {name: sum(self.group[one] == name for one in repeated) for name in begun}
        if not exact and self.chains(linked[group], len(self.members(group))):
            if group not in self.alarmed:
                self.alarmed.add(group)
                self.events.append((document.ordinal, "alarm", group, None))
            return False
        self.begun.setdefault(group, begun[group])
        self.group[document.ordinal] = group
        for other in sorted(set(begun) - {group}, key=begun.__getitem__):
            if not linked[other]:
                continue
            if self.chains(linked[group] + linked[other], len(self.members(group)) + len(self.members(other))):
                continue
            stays, joins = sorted((group, other), key=begun.__getitem__)
            for one, name in list(self.group.items()):
                if name == joins and one >= self.oldest:
                    self.group[one] = stays
            self.begun.pop(joins, None)
            self.begun[stays] = begun[stays]
            self.alarmed.discard(joins)
            linked[stays] += linked[joins]
            self.events.append((document.ordinal, "merge", stays, joins))
            group = stays
        return True
