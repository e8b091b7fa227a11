"""The engine over HTTP: batches in, verdicts out, anything that a store knows on request.

`application` makes a plain ASGI application, `server` runs it. `guard` sits between the network and the routes. The
store has one writer (`writer`) and a few readers (`readers`).
"""
