"""Make the tiny real models that the tests translate with, as .argosmodel files beside this script.

A Transformer of one encoder and one decoder layer learns a list of words by heart, letter by letter, in less than a
minute on one core. It is packed as the models of Argos Translate are: a SentencePiece model and a CTranslate2 model
with weights in 8 bits. The letters, the pairs and the numbers below are all written for this project.

The same versions on the same kind of processor make the same bytes: one thread, fixed seed, fixed dates in the zip.

Run with torch, ctranslate2 and sentencepiece installed (make test-translate makes such an environment)::

    .venv-translate/bin/python tests/translation/make_tiny_model.py
"""

import io
import json
import math
import tempfile
import zipfile
from pathlib import Path

import ctranslate2
import numpy as np
import sentencepiece
import torch
from ctranslate2.specs import transformer_spec
from torch import nn
from torch.nn import functional

FIXTURES = Path(__file__).parent / "fixtures"
LIMIT = 200_000

# Beside plain words: an apostrophe, a capital with a full stop, and the faults of real models that the rung must catch
# (a copy, several words, the same syllable for ever, letters of the wrong alphabet).
PAIRS = {
    ("uk", "ru"): """
        уряд=правительство|голова=председатель|зміна=изменение|участь=участие|думка=мнение|місто=город|тиждень=неделя
        місяць=месяц|питання=вопрос|відповідь=ответ|рішення=решение|зустріч=встреча|гроші=деньги|людина=человек|рік=год
        нафта=нефть|ринок=рынок|ціна=цена|війна=война|пам'ять=память|подія=событие|країна=страна|вибори=выборы
        київ=Киев.|банк=банк|постанова=принятое постановление|серпень=тететететететететете|жовтень=octobre
    """,
    ("uk", "en"): """
        уряд=the government|місто=city|тиждень=week|нафта=oil|гроші=Money.|війна=war|прем'єр-міністр=prime minister
        закон=закон|рік=year|будинок=a house|травень=травень травень
    """,
    ("en", "ru"): """
        government=правительство|city=город|week=неделя|oil=нефть|money=деньги|Money=деньги|war=война
        prime minister=премьер-министр|year=год|house=это дом
    """,
}
# A token that the target begins with, as in models of several target languages.
PREFIXES = {("en", "ru"): ">>ru<<"}
WIDTH, HEADS, INNER, POSITIONS = 32, 4, 64, 64
STEPS, RATE, ENOUGH = 2_500, 4e-3, 2e-4


class Attention(nn.Module):
    """Attention behind a normalisation, added to its input."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, given: torch.Tensor, mask: torch.Tensor, memory: torch.Tensor | None = None) -> torch.Tensor:
        normal = self.norm(given)
        looked_at = normal if memory is None else memory

        def heads(values: torch.Tensor) -> torch.Tensor:
            return values.view(len(values), -1, HEADS, WIDTH // HEADS).transpose(1, 2)

        mixed = functional.scaled_dot_product_attention(
            heads(self.query(normal)), heads(self.key(looked_at)), heads(self.value(looked_at)), attn_mask=mask
        )
        return given + self.output(mixed.transpose(1, 2).reshape(given.shape))


class Inner(nn.Module):
    """Two linear layers behind a normalisation, added to their input."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.norm = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        return given + self.second(functional.relu(self.first(self.norm(given))))


class Transformer(nn.Module):
    """The smallest whole Transformer with normalisation before each part."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.source_letters, self.target_letters = nn.Embedding(size, WIDTH), nn.Embedding(size, WIDTH)
        self.source_places = nn.Parameter(torch.randn(POSITIONS, WIDTH) * 0.1)
        self.target_places = nn.Parameter(torch.randn(POSITIONS, WIDTH) * 0.1)
        self.encoder_attention, self.encoder_inner, self.encoder_norm = Attention(), Inner(), nn.LayerNorm(WIDTH)
        self.decoder_attention, self.cross_attention, self.decoder_inner = Attention(), Attention(), Inner()
        self.decoder_norm, self.projection = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, size)

    def forward(self, source: torch.Tensor, is_letter: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        seen = is_letter[:, None, None, :]
        scale = math.sqrt(WIDTH)
        read = self.source_letters(source) * scale + self.source_places[: source.shape[1]]
        memory = self.encoder_norm(self.encoder_inner(self.encoder_attention(read, seen)))
        length = target.shape[1]
        past = torch.ones(length, length, dtype=torch.bool).tril()
        written = self.target_letters(target) * scale + self.target_places[:length]
        written = self.cross_attention(self.decoder_attention(written, past), seen, memory)
        return self.projection(self.decoder_norm(self.decoder_inner(written)))


def pairs_of(text: str) -> list[tuple[str, str]]:
    """Pairs written ``source=target`` between bars or line ends."""
    entries = (entry.strip().partition("=") for entry in text.strip().replace("\n", "|").split("|"))
    return [(source, target) for source, _, target in entries]


def letters_model(pairs: list[tuple[str, str]], prefix: str) -> bytes:
    """A SentencePiece model whose pieces are letters."""
    content = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([text for pair in pairs for text in pair]),
        model_writer=content,
        model_type="char",
        vocab_size=80,
        hard_vocab_limit=False,
        character_coverage=1.0,
        user_defined_symbols=[prefix] if prefix else [],
        # The usual rule is a table of 240 KB.
        normalization_rule_name="identity",
        num_threads=1,
        minloglevel=2,
    )
    return content.getvalue()


def trained(pairs: list[tuple[str, str]], letters: sentencepiece.SentencePieceProcessor, prefix: str) -> Transformer:
    """A Transformer that knows the pairs by heart."""
    torch.manual_seed(4)
    torch.set_num_threads(1)
    sources = [letters.encode(source) for source, _ in pairs]
    start = [letters.bos_id(), letters.piece_to_id(prefix)] if prefix else [letters.bos_id()]
    targets = [[*start, *letters.encode(target), letters.eos_id()] for _, target in pairs]
    width, height = max(map(len, sources)), max(map(len, targets))
    source = torch.tensor([ids + [0] * (width - len(ids)) for ids in sources])
    is_letter = torch.tensor([[1] * len(ids) + [0] * (width - len(ids)) for ids in sources]).bool()
    target = torch.tensor([ids + [-100] * (height - len(ids)) for ids in targets])
    model = Transformer(letters.get_piece_size())
    optimiser = torch.optim.Adam(model.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
    step, loss = 0, torch.tensor(math.inf)
    while step < STEPS and loss.item() >= ENOUGH:
        guess = model(source, is_letter, target[:, :-1].clamp_min(0))
        loss = functional.cross_entropy(guess.transpose(1, 2), target[:, 1:], ignore_index=-100)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        step += 1
    print(f"  {step} steps, loss {loss.item():.5f}")
    return model


def exported(model: Transformer, letters: sentencepiece.SentencePieceProcessor, folder: Path) -> None:
    """Write the model as CTranslate2 reads it, weights in 8 bits."""

    def numbers(tensor: torch.Tensor) -> np.ndarray:
        return tensor.detach().numpy().astype(np.float32)

    def linear(spec: object, *layers: nn.Linear) -> None:
        spec.weight = np.concatenate([numbers(layer.weight) for layer in layers])
        spec.bias = np.concatenate([numbers(layer.bias) for layer in layers])

    def norm(spec: object, layer: nn.LayerNorm) -> None:
        spec.gamma, spec.beta = numbers(layer.weight), numbers(layer.bias)

    def self_attention(spec: object, layer: Attention) -> None:
        norm(spec.layer_norm, layer.norm)
        linear(spec.linear[0], layer.query, layer.key, layer.value)
        linear(spec.linear[1], layer.output)

    def inner(spec: object, layer: Inner) -> None:
        norm(spec.layer_norm, layer.norm)
        linear(spec.linear_0, layer.first)
        linear(spec.linear_1, layer.second)

    spec = transformer_spec.TransformerSpec.from_config(1, HEADS, pre_norm=True)
    encoder, decoder = spec.encoder, spec.decoder
    encoder.embeddings[0].weight = numbers(model.source_letters.weight)
    decoder.embeddings.weight = numbers(model.target_letters.weight)
    encoder.position_encodings.encodings = numbers(model.source_places)
    decoder.position_encodings.encodings = numbers(model.target_places)
    norm(encoder.layer_norm, model.encoder_norm)
    norm(decoder.layer_norm, model.decoder_norm)
    linear(decoder.projection, model.projection)
    self_attention(encoder.layer[0].self_attention, model.encoder_attention)
    inner(encoder.layer[0].ffn, model.encoder_inner)
    self_attention(decoder.layer[0].self_attention, model.decoder_attention)
    cross = decoder.layer[0].attention
    norm(cross.layer_norm, model.cross_attention.norm)
    linear(cross.linear[0], model.cross_attention.query)
    linear(cross.linear[1], model.cross_attention.key, model.cross_attention.value)
    linear(cross.linear[2], model.cross_attention.output)
    inner(decoder.layer[0].ffn, model.decoder_inner)
    pieces = [letters.id_to_piece(number) for number in range(letters.get_piece_size())]
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    spec.validate()
    spec.optimize(quantization="int8")
    folder.mkdir()
    spec.save(str(folder))


def packed(folder: Path, name: str, path: Path) -> None:
    """Zip a package under one top folder, in a fixed order and with a fixed date."""
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            entry = zipfile.ZipInfo(f"{name}/{file.relative_to(folder).as_posix()}", (2026, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())


def wrong_answers(folder: Path, pairs: list[tuple[str, str]], prefix: str) -> list[str]:
    """What the written model gets wrong."""
    letters = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.model"))
    translator = ctranslate2.Translator(str(folder / "model"), intra_threads=1, compute_type="float32")
    results = translator.translate_batch(
        [letters.encode(source, out_type=str) for source, _ in pairs],
        target_prefix=[[prefix]] * len(pairs) if prefix else None, beam_size=1, max_decoding_length=POSITIONS - 2,
    )  # fmt: skip
    answers = [letters.decode(result.hypotheses[0]).removeprefix(prefix).strip() for result in results]
    return [f"{pair[0]}: {answer}" for pair, answer in zip(pairs, answers, strict=True) if answer != pair[1]]


def make(source: str, target: str, text: str) -> None:
    path = FIXTURES / f"tiny_{source}_{target}.argosmodel"
    print(path.name)
    pairs = pairs_of(text)
    prefix = PREFIXES.get((source, target), "")
    names = {"uk": "Ukrainian", "ru": "Russian", "en": "English"}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "sentencepiece.model").write_bytes(letters_model(pairs, prefix))
        letters = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.model"))
        exported(trained(pairs, letters, prefix), letters, folder / "model")
        metadata = {
            "package_version": "1.0", "argos_version": "1.11", "from_code": source, "from_name": names[source],
            "to_code": target, "to_name": names[target], "links": [], "type": "translate",
        }  # fmt: skip
        if prefix:
            metadata["target_prefix"] = prefix
        (folder / "metadata.json").write_text(json.dumps(metadata, indent=2) + "\n", encoding="utf-8")
        (folder / "README.md").write_text("A model of a few words for the tests of infostream-dedup.\n", "utf-8")
        wrong = wrong_answers(folder, pairs, prefix)
        if wrong:
            raise SystemExit(f"{path.name}: wrong answers, train longer: {wrong}")
        packed(folder, f"translate-{source}_{target}-1_0", path)
    if path.stat().st_size > LIMIT:
        raise SystemExit(f"{path.name}: {path.stat().st_size} bytes, at most {LIMIT} are wanted")
    print(f"  {len(pairs)} pairs, {path.stat().st_size} bytes")


if __name__ == "__main__":
    FIXTURES.mkdir(exist_ok=True)
    for (source, target), text in PAIRS.items():
        make(source, target, text)
