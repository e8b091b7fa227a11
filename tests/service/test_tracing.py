"""Lines of the log and answers name the request, and continue the client's trace."""

import json

import pytest

from infostream_dedup.service.guard import Trace

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def test_an_answer_and_its_line_continue_the_trace(filled, capfd):
    answer = filled("GET", "/v1/groups", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
    line = json.loads([one for one in capfd.readouterr().err.splitlines() if '"request"' in one][-1])
    assert (line["trace"], line["request"]) == (TRACE, answer.headers["x-request-id"])
    assert answer.headers["traceparent"] == f"00-{TRACE}-{line['request']}-01"


@pytest.mark.parametrize("given", ["", "00-0-0-01", f"00-{'0' * 32}-{PARENT}-01", f"ff-{TRACE}-{PARENT}-01", "\u0451"])
def test_a_trace_that_is_none_is_begun_anew(given):
    one, other = (Trace.of([(b"traceparent", given.encode())]) for _ in range(2))
    assert one.parent is None
    assert one.trace != other.trace


def test_opentelemetry_gets_the_request_as_a_span():
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry import trace as api
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    api.set_tracer_provider(provider)
    Trace.of([(b"traceparent", f"00-{TRACE}-{PARENT}-01".encode())]).export("GET /v1/groups", 0.25, 200)
    span = exporter.get_finished_spans()[0]
    assert (f"{span.context.trace_id:032x}", f"{span.parent.span_id:016x}") == (TRACE, PARENT)
    assert (span.end_time - span.start_time) / 1e9 == pytest.approx(0.25, abs=1e-3)
