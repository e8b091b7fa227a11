"""The engine over HTTP: `application` makes an ASGI application, `server` runs it, `guard` stands before it."""
