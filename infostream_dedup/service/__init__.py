"""The engine over HTTP: it takes batches, returns verdicts, and answers questions about the store.

`application` makes a plain ASGI application, `server` runs it. `guard` sits between the network and the routes. The
store has one writer (`writer`) and a few readers (`readers`).
"""
