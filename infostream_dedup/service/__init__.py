"""The engine over HTTP: batches in, verdicts out, everything a store knows for those who ask.

`application` makes a plain ASGI application, `server` runs it. `guard` is between the network and the routes; the
store has one writer (`writer`) and a few readers (`readers`).
"""
