"""The description of the routes that clients build on."""

import json
from pathlib import Path

import pytest

from infostream_dedup.errors import BadDataError
from infostream_dedup.service.application import routes
from infostream_dedup.service.problems import CODES, problem_of

CONTRACT = Path(__file__).resolve().parents[2] / "infostream_dedup" / "service" / "openapi.json"


def written() -> str:
    description = routes().openapi()
    description["info"]["version"] = "1"
    return json.dumps(description, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def test_the_description_is_that_of_the_routes() -> None:
    """``python tests/service/test_contract.py`` writes it anew."""
    assert CONTRACT.read_text(encoding="utf-8") == written()


@pytest.mark.parametrize("code", ["E_STORE_DAMAGED", "E_STORE_FOREIGN", "E_STORE_NEWER", "E_DESK_DAMAGED"])
def test_a_fault_of_a_file_of_ours_is_not_blamed_on_the_request(code: str) -> None:
    assert problem_of(BadDataError("the store has schema 13", code=code, source="news.db")).status == 500


def test_every_path_but_those_of_operations_has_a_version() -> None:
    operations = {"/health", "/ready", "/metrics"}
    paths = json.loads(CONTRACT.read_text(encoding="utf-8"))["paths"]
    assert {path for path in paths if not path.startswith("/v1/")} == operations


def test_every_route_names_its_problems_and_those_that_read_a_body_its_form() -> None:
    description = json.loads(CONTRACT.read_text(encoding="utf-8"))
    assert set(description["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]) == set(CODES)
    without = set()
    for path, methods in description["paths"].items():
        for method, route in methods.items():
            assert {"4XX", "503", "507"} <= set(route["responses"]), path
            for answer in route["responses"].values():
                assert answer.get("content", {}).get("application/json", {}).get("schema") != {"type": "string"}, path
            if method in ("post", "put") and "requestBody" not in route:
                without.add(path)
    # It needs a key only.
    assert without == {"/v1/judgements/{number}/undo"}


if __name__ == "__main__":
    CONTRACT.write_text(written(), encoding="utf-8")
