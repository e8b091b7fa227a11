"""SpotSigs and Low-IDF-Sig at document level."""

from infostream_dedup.lab.methods import Texts, method


def test_navigation_has_no_spots(stories):
    menu = "Главная Новости Спорт Погода Архив Контакты Реклама Подписка"
    run = method("spotsigs").run(Texts.of(f"{menu}\n{stories['ru']}", f"{menu}\n{stories['other']}", stories["ru"]))
    assert [pair[:2] for pair in run.pairs.as_list()] == [(0, 2)]


def test_the_three_languages_have_antecedents(stories):
    signatures = method("spotsigs").sign(Texts.of(stories["ru"], stories["uk"], stories["en"]))
    assert (signatures.sizes >= 10).all()


def test_documents_of_few_spots_have_no_signature():
    assert method("spotsigs").sign(Texts.of("Мэр города и глава района открыли мост")).sizes.tolist() == [0]


def test_spots_of_all_documents_can_be_left_out(stories):
    texts = Texts.of(*[stories["ru"]] * 5)
    assert method("spotsigs").sign(texts).sizes.tolist() == [0] * 5
    assert (method("spotsigs", idf_low=0.0).sign(texts).sizes > 0).all()


def test_low_idf_features_are_about_a_third_of_shingles(stories):
    texts = Texts.of(stories["ru"], stories["uk"], stories["en"])
    features = method("low-idf-sig").sign(texts).sizes
    assert (features / method("shingles").sign(texts).sizes < 0.5).all()


def test_an_edited_word_costs_few_features(stories):
    run = method("low-idf-sig").run(
        Texts.of(stories["ru"], stories["ru"].replace("бесплатным", "платным"), stories["uk"])
    )
    assert [pair[:2] for pair in run.pairs.as_list()] == [(0, 1)]
