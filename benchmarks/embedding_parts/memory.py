"""What the embedder adds to a process that does nothing else, at most: run in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.embedding_parts.forms import REPOSITORY

TEXTS = tuple(" ".join(["word"] * number) for number in (20, 510, 300, 510))


def peak_megabytes() -> float:
    """The most memory this process has ever held at once (Linux tells; since the program began, not its parent)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (peak,) = (line.split()[1] for line in lines if line.startswith("VmHWM"))
    return int(peak) * 1024 / 1e6


def measured(model: str, folder: Path, cores: int = 1) -> dict[str, float]:
    """Growth by loading the named form in a fresh process and by embedding texts up to the cap on so many cores."""
    command = [sys.executable, "-m", "benchmarks.embedding_parts.memory", model, str(folder), str(cores)]
    done = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def _main(model: str, folder: str, cores: str) -> dict[str, float]:
    before = peak_megabytes()
    from webrag_desktop.embedding.factory import open_embedder, resolve
    from webrag_desktop.embedding.options import EmbeddingOptions

    options = EmbeddingOptions(backend="embedded", model=model, model_folder=Path(folder), cores=int(cores))
    embedder = open_embedder(resolve(options), options)
    embedder.embed_query("one question")
    loaded = peak_megabytes()
    embedder.embed_texts(list(TEXTS))
    return {"loaded": loaded - before, "embedded": peak_megabytes() - before}


if __name__ == "__main__":
    print(json.dumps(_main(*sys.argv[1:])))
