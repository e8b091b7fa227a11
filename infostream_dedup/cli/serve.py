"""``serve``: run the engine as an HTTP service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from infostream_dedup.cli.options import examples, general_options
from infostream_dedup.cli.output import note
from infostream_dedup.cli.stream_options import pop_stream_settings, stream_options

__all__ = ["serve"]


@click.command(
    epilog=examples(
        "serve --store news.db",
        "serve --store news.db --port 8601 --read-only",
        "serve --new-token desk --role analyst --token-file tokens",
    )
)
@click.option("--store", metavar="FILE", type=click.Path(dir_okay=False), help="Store (SQLite); created if missing.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8600, show_default=True, help="Port to listen on.")
@click.option("--hosts", default="", help="Further host names that clients may use, such as news.example:8600,...")
@click.option(
    "--proxies",
    default="",
    metavar="ADDRESS,...",
    help="Addresses or networks of proxies, such as 127.0.0.1,10.0.0.0/8, whose X-Forwarded-For names the client: "
    "wrong tokens are counted by client. Otherwise the header is ignored.",
)
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False),
    help="File with tokens and their roles; required to listen on other addresses.",
)
@click.option(
    "--metrics",
    metavar="HOST:PORT",
    help="Also show /metrics there, without a token, for Prometheus; figures name no document or source.",
)
@click.option("--read-only", is_flag=True, help="Serve a store that another process writes to.")
@click.option("--new-token", metavar="NAME", help="Add a token to the token file, print it once, and exit.")
@click.option(
    "--role",
    type=click.Choice(["reader", "analyst", "writer", "admin"]),
    default="reader",
    show_default=True,
    help="With --new-token: role of the token.",
)
@stream_options
@general_options("table", "table")
def serve(
    *,
    store: str | None,
    hosts: str,
    proxies: str,
    metrics: str | None,
    token_file: str | None,
    new_token: str | None,
    role: str,
    quiet: bool,
    **given: Any,
) -> None:
    """Serve a store over HTTP: accept batches, return verdicts, show groups and documents, search.

    Without a token file, the service listens on this machine only, and anyone who can reach it may do anything. Its
    routes are described at /v1/openapi.json. SIGTERM ends the service after the current batch.
    """
    from infostream_dedup.service.server import run
    from infostream_dedup.service.settings import ServiceSettings, address_of, network_of
    from infostream_dedup.service.tokens import add_token

    given.pop("output_format")
    if new_token is not None:
        if token_file is None:
            raise click.UsageError("--new-token needs --token-file, the file to add it to")
        click.echo(add_token(Path(token_file), new_token, role))
        note("keep this token: it will not be shown again", quiet=quiet)
        return
    if store is None:
        raise click.UsageError("--store is missing: name the store to serve")
    stream = pop_stream_settings(given)
    settings = ServiceSettings(
        store=Path(store),
        hosts=_listed(hosts),
        proxies=tuple(map(network_of, _listed(proxies))),
        metrics=None if metrics is None else address_of(metrics),
        token_file=None if token_file is None else Path(token_file),
        stream=stream,
        **given,
    )
    figures = "" if metrics is None else f", its figures at http://{metrics}/metrics"
    run(settings, tell=lambda address: note(f"serving {store} at {address}{figures}", quiet=quiet))


def _listed(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())
