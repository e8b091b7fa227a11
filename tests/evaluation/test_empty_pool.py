"""A pool that verifies no pair gives no precision, instead of one of 0."""

from infostream_dedup import compare


def test_an_empty_pool_says_nothing_about_precision():
    texts = ["Снег идёт в Киеве третий день подряд", "Мэр открыл новый мост через широкую реку", "Цены на хлеб выросли"]
    rows = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    found = compare(rows, methods=["md5", "key-terms-stem"], protocol="pool")
    assert found.pool is not None
    assert found.pool.verified == 0
    assert {(row["precision"], row["recall"], row["f1"]) for row in found.as_rows()} == {(None, None, None)}
