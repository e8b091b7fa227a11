"""Which classifier judges a pair."""

import json
from dataclasses import replace

import numpy as np
import pytest

from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.judging.criteria.classifier import Calibration, Classifier, Plane
from infostream_dedup.judging.criteria.document_models import document_models
from infostream_dedup.judging.criteria.model_file import ClassifierSet, DomainRule, domains_of, read_domain_rules
from infostream_dedup.model import Document


def _classifier(domain: str, bias: float) -> Classifier:
    plane = Plane(np.zeros(1), np.ones(1), np.zeros(1), bias)
    return Classifier(
        preset="duplicate", domain=domain, criteria=("words",), later=plane, earlier=plane,
        calibration=Calibration(-1.0, 0.0),
    )  # fmt: skip


SPORT, LAW, ANY = _classifier("sport", 1.0), _classifier("law", 2.0), _classifier("", 3.0)
RULES = (DomainRule("category", "Спорт*", "sport"), DomainRule("source", "law.example", "law"))


@pytest.fixture(scope="module")
def models():
    def document(name, source, category):
        extra = {} if category is None else {"category": category}
        return Document(id=name, text="Одно предложение.", source=source, lang="ru", extra=extra)

    return document_models(
        [
            document("a", "law.example", "СПОРТ: футбол"), document("b", "other.example", "спорт"),
            document("c", "Law.Example", None), document("d", "law.example", "право"), document("e", None, None),
        ]
    )  # fmt: skip


def test_the_first_rule_that_matches_counts(models):
    assert domains_of(models.sources, models.categories, RULES) == ["sport", "sport", "law", "law", ""]


def test_a_pair_of_one_domain_goes_to_its_model_and_every_other_to_the_default(models):
    several = ClassifierSet([SPORT, LAW, ANY], rules=RULES)
    i, j = np.array([0, 2, 0, 4]), np.array([1, 3, 3, 4])
    assert several.chosen(models, i, j).tolist() == [0, 1, 2, 2]
    found = several.decide(models, i, j)
    assert found.forward.tolist() == found.backward.tolist() == [1.0, 2.0, 3.0, 3.0]


def test_a_call_may_name_the_domain(models):
    several = ClassifierSet([SPORT, LAW], rules=RULES, domain="law")
    assert several.decide(models, np.array([0]), np.array([1])).forward.tolist() == [2.0]
    assert ClassifierSet([SPORT]).decide(models, np.array([3]), np.array([4])).forward.tolist() == [1.0]


@pytest.mark.parametrize(("classifiers", "domain", "message"), [
    ([], None, "expected one or more"), ([SPORT, replace(LAW, domain="sport")], None, "each domain once"),
    ([SPORT, LAW], None, "none is for pairs"), ([SPORT, ANY], "law", "domain is 'law'"),
])  # fmt: skip
def test_models_that_do_not_fit_together_are_refused(classifiers, domain, message):
    with pytest.raises(ConfigurationError, match=message):
        ClassifierSet(classifiers, domain=domain)


def test_rules_come_as_table_or_json(tmp_path):
    table = tmp_path / "rules.tsv"
    table.write_text("# field, value, domain\n\ncategory\tСпорт*\tsport\nsource\tlaw.example\tlaw\n", encoding="utf-8")
    assert read_domain_rules(table) == RULES
    objects = [{"field": rule.field, "value": rule.value, "domain": rule.domain} for rule in RULES]
    listed = tmp_path / "rules.json"
    listed.write_text(json.dumps(objects), encoding="utf-8")
    assert read_domain_rules(listed) == RULES


@pytest.mark.parametrize(("name", "content"), [
    ("r.tsv", b""), ("r.tsv", b"source\tx\n"), ("r.tsv", b"title\tx\tlaw\n"), ("r.tsv", b"source\t\tlaw\n"),
    ("r.tsv", b"source\t\xff\tlaw\n"), ("r.json", b"{"), ("r.json", b"{}"), ("r.json", b"[1]"),
    ("r.json", b'[{"field": "source", "value": 1, "domain": "law"}]'),
    ("r.json", b'[{"field": ["source"], "value": "x", "domain": "law"}]'),
])  # fmt: skip
def test_wrong_rules_get_a_clear_error(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadDataError, match="E_RULES"):
        read_domain_rules(tmp_path / name)
