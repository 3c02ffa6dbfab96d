"""The forms of the model side by side: a loop that anyone would write first, ours over the same file, and the fused."""

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from webrag_desktop.embedding.catalog import MINILM_FUSED, MINILM_SHIPPED
from webrag_desktop.embedding.embedded import encoder_loader
from webrag_desktop.embedding.fused.graph import installed_model_file
from webrag_desktop.embedding.tokenizers.shipped import CLASSIFY_ID, SEPARATE_ID, WordPieceTokenizer
from webrag_desktop.models.spaces import EmbeddingModel

Vector = npt.NDArray[np.float32]
Embed = Callable[[str], Vector]
REPOSITORY = Path(__file__).parents[2]
# Not the pages that the factors were measured on.
TEXTS = (
    "ARCHITECTURE.md",
    "README.md",
    "docs/cli.md",
    "docs/hostile-input.md",
    "resources/demo/tide_pools.md",
)
PASSAGE_TOKENS = 180  # the mean of the chunks that the program makes


def passages(paths: Sequence[Path]) -> Iterator[str]:
    """Parts of the texts, about as long as chunks, of whole words."""
    tokenizer = WordPieceTokenizer()
    for path in paths:
        text = path.read_text(encoding="utf-8")
        starts = [start for start in tokenizer.token_starts(text) if start == 0 or text[start - 1].isspace()]
        cuts = [*starts[:: PASSAGE_TOKENS * 2 // 3], len(text)]
        yield from (text[a:b] for a, b in itertools.pairwise(cuts) if text[a:b].strip())


def naive_loop(threads: int = 0) -> Embed:
    """Tokenise, run, mean: onnxruntime as it comes; ``threads`` only for the row that keeps it to one."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(
        str(installed_model_file()), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = WordPieceTokenizer()

    def embed(text: str) -> Vector:
        ids = np.array([_token_ids(tokenizer, text, 512)], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        vector: Vector = session.run(None, feed)[0][0].mean(axis=0)
        return _unit(vector)

    return embed


def form_loop(form: EmbeddingModel, folder: Path | None = None, *, cut: int = 512) -> Embed:
    """One of the program's own forms."""
    encode = encoder_loader(form, folder)()
    tokenizer = WordPieceTokenizer()
    return lambda text: _unit(encode(_token_ids(tokenizer, text, cut)))


def all_loops() -> dict[str, Embed]:
    """Every row of the table of speeds."""
    return {
        "naive loop": naive_loop(),
        "naive loop, one thread": naive_loop(1),
        "shipped form, ours": form_loop(MINILM_SHIPPED),
        "fused form, ours": form_loop(MINILM_FUSED),
    }


def cpu_seconds(embed: Embed, texts: Sequence[str]) -> float:
    """Processor time of all threads over all texts."""
    embed(texts[0])
    start = time.process_time()
    for text in texts:
        embed(text)
    return time.process_time() - start


def cosines(one: Embed, other: Embed, texts: Sequence[str]) -> list[float]:
    """How close the vectors of each text are in two forms."""
    return [float(one(text) @ other(text)) for text in texts]


def _token_ids(tokenizer: WordPieceTokenizer, text: str, cut: int) -> list[int]:
    return [CLASSIFY_ID, *tokenizer.token_ids(text)[: cut - 2], SEPARATE_ID]


def _unit(vector: Vector) -> Vector:
    scaled: Vector = vector / np.linalg.norm(vector)
    return scaled
