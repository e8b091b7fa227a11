"""Documents whose text is HTML: what tags say is no part of them."""

import pytest

from infostream_dedup import Document, pairs

TEXTS = (
    "Президент посетил завод в городе и обсудил с директором модернизацию турбины реактора.",
    "Тренер футбольной команды объявил состав на матч с соперником из столицы, стадион готов принять зрителей.",
    "Суд арестовал депутата по делу о взятке, адвокат подал апелляцию и заявил о невиновности подзащитного.",
)
PAGE = (
    '<div class="article-lead newsblock" data-entity="politikum" style="color: red">'
    '<a href="/novosti/rubrika" title="Читайте также главные новости региона">подробнее</a>'
    '<p class="paragraph">{}</p>'
    '<img src=/upload/iblock.jpg alt="Фото пресс-службы администрации" width=100></div>'
)


BLOCKS = (
    '<!-- wp:image {{"sizeSlug":"large","linkDestination":"media"}} --><figure></figure><!-- /wp:image -->'
    "<script>window.dataLayer = window.dataLayer || []; function gtag() {{ dataLayer.push(arguments); }}</script>"
    "<style>.newsblock .article-lead {{ color: red; margin: auto }}</style>"
    "<!-- wp:paragraph --><p>{}</p><!-- /wp:paragraph -->"
)


@pytest.mark.parametrize("page", [PAGE, BLOCKS], ids=["attributes", "blocks"])
@pytest.mark.parametrize("preset", ["judged", "faithful"])
def test_unrelated_news_of_one_site_are_no_pair(preset, page) -> None:
    documents = [Document(id=str(number), text=page.format(text)) for number, text in enumerate(TEXTS)]
    settings = {"representation": "stem", "k_min": 1} if preset == "faithful" else {}
    assert list(pairs(documents, preset=preset, **settings)) == []


def test_a_text_is_a_copy_of_the_same_text_with_comments_scripts_and_styles() -> None:
    (found,) = pairs([Document(id="a", text=TEXTS[0]), Document(id="b", text=BLOCKS.format(TEXTS[0]))])
    assert (found.kind, found.wording_forward, found.wording_backward) == ("copy", 1.0, 1.0)


def test_a_text_is_a_copy_of_the_same_text_with_tags() -> None:
    (found,) = pairs([Document(id="a", text=f"Подробнее\n{TEXTS[0]}"), Document(id="b", text=PAGE.format(TEXTS[0]))])
    assert (found.kind, found.wording_forward, found.wording_backward) == ("copy", 1.0, 1.0)
