"""Slow, aborting and oversized clients, at the lowest priority: ``hostile_clients.py PORT CLIENTS SECONDS``."""

import asyncio
import contextlib
import os
import random
import sys
import time

BLANKS = b" " * 65536


async def raw(port: int, head: bytes, *parts: bytes, pause: float = 0.0, wait: bool = False) -> None:
    """Send a request as no honest client does, and go away."""
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(head)
            for part in parts:
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(pause)
            if wait:
                await asyncio.wait_for(reader.read(), 30)
        except TimeoutError:
            pass
        finally:
            writer.transport.abort()


def post(port: int, length: int, path: str = "/v1/batches") -> bytes:
    lines = (f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Type: application/json")
    return "\r\n".join((*lines, f"Content-Length: {length}", "", "")).encode()


async def hostile(port: int, draw: random.Random, until: float) -> int:
    done = 0
    await asyncio.sleep(draw.uniform(0, 5))
    while time.monotonic() < until:
        match draw.randrange(7):
            case 0:
                await raw(port, b"GET / HTTP/1.1\r\nX-A: ", *[b"a"] * 200, pause=0.5)
            case 1:
                await raw(port, post(port, 1_000_000), *[b" "] * 60, pause=0.5)
            case 2:
                await raw(port, post(port, 16_000_000), *[BLANKS] * draw.randrange(1, 240), pause=0.01)
            case 3:
                await raw(port, post(port, 160_000_000), BLANKS, wait=True)
            case 4:
                await raw(port, post(port, 32 * 65536, "/v1/check"), *[BLANKS] * 31, b"[" * 65536, wait=True)
            case 5:
                await raw(port, b"GET /v1/groups HTTP/1.1\r\nHost: elsewhere\r\n\r\n", wait=True)
            case 6:
                await raw(port, post(port, 200_000), b" " * 199_999, *[b""] * 60, pause=0.5)
        done += 1
        await asyncio.sleep(draw.uniform(0, 2))
    return done


async def crowd(port: int, clients: int, seconds: float) -> int:
    until = time.monotonic() + seconds
    return sum(await asyncio.gather(*(hostile(port, random.Random(one), until) for one in range(clients))))  # noqa: S311


if __name__ == "__main__":
    os.nice(19)
    print(asyncio.run(crowd(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))))
