"""For containers: ``python -P -m infostream_dedup.service.probe [PORT]`` exits with 0 if the local service answers."""

from __future__ import annotations

import http.client
import sys
from typing import Final

_SECONDS: Final = 2.0
_PORT: Final = 8600


def is_alive(port: int) -> bool:
    """Whether a service answers on a port of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(0 if is_alive(int(sys.argv[1]) if len(sys.argv) > 1 else _PORT) else 1)
