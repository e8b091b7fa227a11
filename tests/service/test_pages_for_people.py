"""The pages: three languages, no script needed, nothing of a document taken for HTML."""

import re
from html import unescape
from importlib import resources
from string import Formatter
from urllib.parse import unquote

import pytest

from infostream_dedup.service.pages.frame import FILES, PAGE_LANGUAGES, plural_form, words_of
from infostream_dedup.service.settings import ServiceSettings
from infostream_dedup.service.tokens import add_token

from .conftest import ServiceClient, wait_until_ready

FORMS = {"en": {"one", "other"}, "ru": {"one", "few", "many"}, "uk": {"one", "few", "many"}}
HOSTILE = '"><script>alert(1)</script>\u202e<img src=x onerror=alert(2)>'


def fields_of(words: object) -> set[str]:
    texts = words.values() if isinstance(words, dict) else [words]
    return {field for text in texts for _, field, _, _ in Formatter().parse(str(text)) if field}


def test_the_languages_have_the_same_words() -> None:
    english = words_of("en").keys()
    for language in PAGE_LANGUAGES:
        words = words_of(language).keys()
        assert words.keys() == english.keys()
        for key, value in words.items():
            assert fields_of(value) == fields_of(english[key]), key
            if isinstance(value, dict):
                assert set(value) == FORMS[language], key


@pytest.mark.parametrize(("number", "form"), [
    (0, "many"), (1, "one"), (2, "few"), (5, "many"), (11, "many"), (12, "many"), (21, "one"), (104, "few"),
    (111, "many"),
])  # fmt: skip
def test_forms_that_go_with_numbers(number: int, form: str) -> None:
    assert plural_form(number, "ru") == plural_form(number, "uk") == form
    assert plural_form(number, "en") == ("one" if number == 1 else "other")


@pytest.mark.parametrize("language", PAGE_LANGUAGES)
@pytest.mark.parametrize("path", ["/groups", "/groups?order=last&lang=uk", "/search", "/search?q=мост", "/sign-in"])
def test_pages_need_no_script_and_bring_none_of_others(filled: ServiceClient, path: str, language: str) -> None:
    answer = filled("GET", path, headers={"accept-language": language})
    assert answer.status_code == 200
    assert f'<html lang="{language}">' in answer.text
    assert not re.search(
        r"<script(?! type=.module. src=./static/)|\son\w+=|\sstyle=|https?://(?!localhost)", answer.text
    )
    assert answer.text.count("<h1") == 1
    for link in re.findall(r'(?:href|src)="(/static/[^"]+)"', answer.text):
        assert filled("GET", link).status_code == 200


def test_links_of_a_page_lead_somewhere(filled: ServiceClient) -> None:
    page = filled("GET", "/groups").text
    for link in set(re.findall(r'href="(/[^"]*)"', page)):
        assert filled("GET", link.replace("&amp;", "&")).status_code == 200, link


def test_a_problem_on_a_page_says_what_to_do(fresh: ServiceClient) -> None:
    refused = fresh("POST", "/explore", data={"kind": "estimate"}, headers={"accept": "text/html"})
    assert refused.status_code == 409
    assert "start the service with --keep-text" in refused.text


def test_two_texts_side_by_side(filled: ServiceClient) -> None:
    row = filled("GET", "/v1/groups?limit=1").json()["items"][0]
    first, *_, last = (member["id"] for member in filled("GET", f"/v1/groups/{row['group']}").json()["members"])
    assert filled("GET", "/compare", params={"a": first, "b": last}).text.count('data-passage="1"') >= 2


def test_what_documents_say_is_never_html(fresh: ServiceClient) -> None:
    text = f"Мэр Харькова открыл новый мост через реку. {HOSTILE}"
    documents = [{"id": f"{HOSTILE}{n}", "title": HOSTILE, "text": text, "source": HOSTILE} for n in range(2)]
    assert fresh("POST", "/v1/batches", json={"documents": documents}).status_code == 200
    pages = [fresh("GET", "/groups").text, fresh("GET", "/search", params={"q": text}).text]
    pages.append(fresh("GET", "/groups", params={"q": HOSTILE, "source": HOSTILE}).text)
    for page in pages:
        assert "alert(1)" in page
        assert "<script>" not in page
        assert "<img" not in page


def test_people_sign_in_with_their_token(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    token = add_token(folder / "tokens", "desk", "reader")
    client = ServiceClient(ServiceSettings(store=folder / "news.db", token_file=folder / "tokens"))
    wait_until_ready(client)
    html = {"accept": "text/html"}
    sent = client("GET", "/groups?q=мост&order=last", headers=html)
    assert sent.status_code == 303
    entrance = client("GET", sent.headers["location"], headers=html).text
    to = unescape(entrance.partition('name="to" value="')[2].partition('"')[0])
    assert unquote(to) == "/groups?q=мост&order=last"
    assert client("POST", "/sign-in", data={"token": "wrong"}, headers=html).status_code == 401
    for elsewhere in ("//e.example", "https://e.example", "/\\e.example", "/\t/e.example", ""):
        assert client("POST", "/sign-in", data={"token": token, "to": elsewhere}).headers["location"] == "/", elsewhere
    signed = client("POST", "/sign-in", data={"token": token, "to": to})
    assert (signed.status_code, unquote(signed.headers["location"])) == (303, "/groups?q=мост&order=last")
    cookie = signed.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert client("GET", "/groups", headers=html).status_code == 200
    assert client("POST", "/v1/batches", json={"documents": []}).status_code == 403
    assert client("POST", "/sign-out", data={}).status_code == 303
    assert client("GET", "/groups", headers=html).status_code == 303
    # A form that was open when the session ended leads to the entrance, too; a program is told what is missing.
    sent = client("POST", "/alarms", data={"subject": "1", "decision": "known"}, headers=html)
    assert (sent.status_code, sent.headers["location"]) == (303, "/sign-in")
    assert client("POST", "/alarms", data={"subject": "1", "decision": "known"}).status_code == 401
    assert client("POST", "/v1/search", json={"text": "мост"}, headers=html).status_code == 401
    for _ in range(5):
        last = client("POST", "/sign-in", data={"token": "guess"})
    assert last.status_code == 429
    client.close()


def test_nothing_but_the_listed_files_is_served(filled: ServiceClient) -> None:
    for name in ("../application.py", "..%2Fapplication.py", "app.py", "%2e%2e/guard.py"):
        assert filled("GET", f"/static/{name}").status_code == 404
    assert {path.name for path in (resources.files("infostream_dedup.service") / "static").iterdir()} == set(FILES)
