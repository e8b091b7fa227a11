"""SQL functions for DuckDB: ``infostream_dedup.duckdb.register(connection)``."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from typing import Any, Final

import orjson

from infostream_dedup.errors import MissingExtraError, UsageError

__all__ = ["register"]

_SAME_TEXT: Final = frozenset(("copy", "retold", "contained", "contains", "updated", "translation"))
_GROUPS: Final = {"id": "VARCHAR", "status": "VARCHAR", "of": "VARCHAR", "group": "VARCHAR", "kind": "VARCHAR"}
_PAIRS: Final = {
    "a": "VARCHAR",
    "b": "VARCHAR",
    "kind": "VARCHAR",
    "probability": "DOUBLE",
    "relation": "VARCHAR",
    "forward": "INTEGER",
    "backward": "INTEGER",
    "terms": "VARCHAR[]",
}
_REMEMBERED: Final = 100_000
_TEXTS: Final = ("id", "title", "text", "lang", "published", "source", "url")
_DOCUMENT: Final = ", ".join((*(f"NULL::VARCHAR AS {name}" for name in _TEXTS), "NULL AS images", "NULL AS links"))
_TABLE: Final = f"SELECT {_DOCUMENT} WHERE false UNION ALL BY NAME FROM query_table(source)"  # noqa: S608
_READ: Final = ", ".join(f"read.{name}" for name in (*_TEXTS, "images", "links"))  # ``source`` alone is the table
# Columns of other names are not read. A list of a large table has its rows in any order unless it is told one.
_ROWS: Final = (
    "SELECT list(to_json(one)::VARCHAR ORDER BY place) FROM (SELECT one, row_number() OVER () AS place "  # noqa: S608
    f"FROM (SELECT {_READ} FROM ({_TABLE}) AS read) AS one)"
)
_REGISTERING: Final = Lock()


def register(connection: Any) -> Any:
    """Add SQL functions to a connection of DuckDB.

    ``dedup_groups('news')`` and ``dedup_pairs('news')`` are tables made of a table, view or frame of the connection,
    whose columns are those of documents (``id``, ``text``, and ``title``, ``lang``, ``published``, ``source``, ``url``
    if it has them). ``key_terms(text, lang)`` lists the 12 heaviest key terms (lang may be NULL), and
    ``same_text(a, b)`` says whether two texts are one: copied, retold, contained, updated or translated.

    Args:
        connection: of ``duckdb.connect``. A table is held in memory while it is compared.

    Returns:
        The connection.

    Raises:
        MissingExtraError: DuckDB is not installed (extra ``duckdb``).

    Example:
        >>> import duckdb
        >>> from infostream_dedup.duckdb import register
        >>> con = register(duckdb.connect())
        >>> _ = con.sql("CREATE TABLE news AS SELECT * FROM (VALUES ('1', 'Мост через Лопань открыл министр утром.'),"
        ...             " ('2', 'Мост через Лопань открыл министр утром.')) AS t(id, text)")
        >>> con.sql("SELECT id, status, of FROM dedup_groups('news') ORDER BY id").fetchall()
        [('1', 'new', None), ('2', 'exact', '1')]
        >>> con.sql("SELECT key_terms('Завод в Харькове', 'ru')").fetchall()[0][0]
        ['харьков', 'завод']
    """
    try:
        from duckdb.func import FunctionNullHandling
    except ImportError:
        raise MissingExtraError("duckdb", "duckdb", "functions in SQL") from None

    special: Any = FunctionNullHandling.SPECIAL
    terms, same = (_terms, ["VARCHAR", "VARCHAR"], "VARCHAR[]"), (_same_text, ["VARCHAR", "VARCHAR"], "BOOLEAN")
    functions: dict[str, tuple[Any, ...]] = {"key_terms": terms, "same_text": same}
    for name, made, columns in (("dedup_groups", _groups, _GROUPS), ("dedup_pairs", _pairs, _PAIRS)):
        row = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
        functions[f"infostream_{name}"] = made, ["VARCHAR[]"], f"STRUCT({row})[]"
    with _REGISTERING:
        # All connections to a database share its functions, but each has macros of its own.
        known = {name for (name,) in connection.execute("SELECT function_name FROM duckdb_functions()").fetchall()}
        for name in functions.keys() - known:
            connection.create_function(name, *functions[name], null_handling=special)
    for name in ("dedup_groups", "dedup_pairs"):
        connection.execute(
            f"CREATE OR REPLACE TEMP MACRO {name}(source) AS TABLE "
            f"SELECT unnest(infostream_{name}(({_ROWS})), recursive := true)"
        )
    return connection


def _documents(rows: list[str] | None) -> list[dict[str, Any]]:
    given = [{name: value for name, value in orjson.loads(row).items() if value is not None} for row in rows or ()]
    for name, is_found in (("id", all), ("text", any)):
        if given and not is_found(name in one for one in given):
            raise UsageError(f"{name} is NULL or no column of the table; name it in a view: SELECT headline AS {name}")
    return [{"text": ""} | one for one in given]


def _groups(rows: list[str]) -> list[dict[str, Any]]:
    from infostream_dedup.api.dedup import dedup

    found = dedup(_documents(rows), annotate=True)
    return [{name: row.get(name) for name in _GROUPS} for row in found.as_rows()]


def _pairs(rows: list[str]) -> list[dict[str, Any]]:
    from infostream_dedup.api.pairs import pairs

    return [{name: row.get(name) for name in _PAIRS} for row in pairs(_documents(rows)).as_dicts()]


@lru_cache(_REMEMBERED)
def _terms(text: str | None, language: str | None) -> list[str] | None:
    if text is None:
        return None
    from infostream_dedup.api.search import key_terms

    document = {"id": "1", "text": text} | ({} if language is None else {"lang": language})
    return [row["term"] for row in key_terms([document]).as_dicts()]


@lru_cache(_REMEMBERED)
def _same_text(a: str | None, b: str | None) -> bool | None:
    if a is None or b is None:
        return None
    from infostream_dedup.api.pairs import pairs

    found = pairs([{"id": "a", "text": a}, {"id": "b", "text": b}]).as_dicts()
    return a == b or any(row["kind"] in _SAME_TEXT for row in found)
