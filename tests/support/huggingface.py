"""Tokenizers as HuggingFace keeps them: folders of real ones, its cache on this computer, and a stand-in of its hub."""

import hashlib
import json
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest
import sentencepiece
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from tests.support.embedding_server import HttpServer, Received, Reply
from webrag_desktop.embedding.tokenizers.huggingface import _hub_constants, _transformers

TEXTS = [
    f"The keeper of lighthouse {number} counted thoughtful ships near Санкт-Петербург, 日本語 and “Київ”."
    for number in range(40)
]
FIRST, SECOND = "a" * 40, "b" * 40  # commits
# What a model's repository holds beside its tokenizer, none of which is wanted.
BURDEN = {"model.safetensors": b"weights", "modeling.py": b"raise SystemExit", "README.md": b"# Model"}


def wordpiece_folder(folder: Path, vocabulary: int = 300) -> Path:
    """A BERT tokenizer, cased, as its class saves it."""
    trained = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    trained.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    markers = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trained.train_from_iterator(
        TEXTS, trainers.WordPieceTrainer(vocab_size=vocabulary, special_tokens=markers)
    )
    made = _transformers().BertTokenizer(vocab=trained.get_vocab(), do_lower_case=False)
    made.save_pretrained(str(folder))
    return folder


def unigram_folder(folder: Path, vocabulary: int = 200) -> Path:
    """A tokenizer as of bge-m3: SentencePiece's pieces, two markers, truncation and padding on."""
    trained = Tokenizer(models.Unigram())
    trained.normalizer = normalizers.NFKC()
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    markers = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained.train_from_iterator(
        TEXTS, trainers.UnigramTrainer(vocab_size=vocabulary, special_tokens=markers, unk_token="<unk>")
    )
    ends = [("<s>", 0), ("</s>", 2)]
    trained.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    trained.enable_truncation(4)
    trained.enable_padding(length=16)
    names = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    _transformers().PreTrainedTokenizerFast(tokenizer_object=trained, **names).save_pretrained(str(folder))
    return folder


def xlm_roberta_folder(folder: Path) -> Path:
    """The same kind as its own class saves it."""
    pieces = json.loads((unigram_folder(folder) / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    shutil.rmtree(folder)
    made = _transformers().XLMRobertaTokenizer(vocab=[tuple(piece) for piece in pieces])
    made.save_pretrained(str(folder))
    return folder


def sentencepiece_folder(folder: Path) -> Path:
    """SentencePiece's own model and nothing else, as older repositories hold it."""
    folder.mkdir(parents=True)
    with (folder / "sentencepiece.bpe.model").open("wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(TEXTS),
            model_writer=file,
            vocab_size=90,
            hard_vocab_limit=False,
            minloglevel=2,
        )
    return folder


def vocabulary_folder(folder: Path) -> Path:
    """BERT's vocabulary with nothing but the class beside it."""
    tokenizer = json.loads((wordpiece_folder(folder) / "tokenizer.json").read_text("utf-8"))
    ranks = tokenizer["model"]["vocab"]
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(sorted(ranks, key=ranks.__getitem__)) + "\n", "utf-8")
    config = {"tokenizer_class": "BertTokenizer", "do_lower_case": False}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    return folder


KINDS = {
    "wordpiece": wordpiece_folder,
    "unigram": unigram_folder,
    "xlm-roberta": xlm_roberta_folder,
    "sentencepiece": sentencepiece_folder,
    "vocabulary": vocabulary_folder,
}


def as_transformers_reads(folder: Path) -> Any:
    """The tokenizer in a folder as the library itself opens it."""
    kind = "xlm-roberta" if not (folder / "tokenizer_config.json").exists() else None
    return _transformers().AutoTokenizer.from_pretrained(
        str(folder), tokenizer_type=kind, local_files_only=True
    )


def put_into_cache(cache: Path, name: str, folder: Path, commit: str = FIRST) -> Path:
    """Have HuggingFace's cache hold a folder's files as those of a model's main branch; the folder they lie in."""
    storage = cache / f"models--{name.replace('/', '--')}"
    snapshot = storage / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (storage / "blobs").mkdir(exist_ok=True)
    for file in folder.iterdir():
        blob = storage / "blobs" / hashlib.sha256(file.read_bytes()).hexdigest()
        blob.write_bytes(file.read_bytes())
        (snapshot / file.name).symlink_to(blob)
    (storage / "refs").mkdir(exist_ok=True)
    (storage / "refs" / "main").write_text(commit, "utf-8")
    return snapshot


class HubServer:
    """HuggingFace's hub on loopback, until the ``with`` block ends: one model, whose files are those of a folder.

    ``trouble`` is the status and the code of the error that it answers everything with; files in ``failing`` cannot
    be had for now.
    """

    def __init__(self, name: str, folder: Path, commit: str = FIRST) -> None:
        self.name = name
        self.files = {one.name: one.read_bytes() for one in folder.iterdir()} | BURDEN
        self.commit = commit
        self.trouble: tuple[int, str] | None = None
        self.failing: set[str] = set()
        self.received: list[Received] = []
        self.released = threading.Event()
        self.dripped = threading.Event()
        self._http = HttpServer(self)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        """Its address, as for ``HF_ENDPOINT``."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def fetched(self) -> list[str]:
        """The files that were sent, in order."""
        return [
            one.path.rpartition("/")[2]
            for one in self.received
            if one.method == "GET" and "/resolve/" in one.path
        ]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._http.shutdown()
        self._thread.join()
        self._http.close_connections()
        self._http.server_close()

    def reply(self, request: Received) -> Reply:
        """The answer to one request."""
        self.received.append(request)
        path = request.path.partition("?")[0]
        if self.trouble is not None:
            return self._error(*self.trouble)
        if path in (f"/api/models/{self.name}", f"/api/models/{self.name}/revision/main"):
            return self._model()
        start = f"/{self.name}/resolve/"
        if path.startswith(start):
            return self._file(path.removeprefix(start))
        return self._error(404, "RepoNotFound")

    def _model(self) -> Reply:
        siblings = [{"rfilename": name} for name in sorted(self.files)]
        reported = {"_id": "1", "id": self.name, "sha": self.commit, "private": False, "siblings": siblings}
        return Reply(200, json.dumps(reported).encode())

    def _file(self, place: str) -> Reply:
        revision, _, name = place.partition("/")
        if revision not in ("main", self.commit):
            return self._error(404, "RevisionNotFound")
        if name not in self.files:
            return self._error(404, "EntryNotFound")
        if name in self.failing:
            return self._error(403, "")
        content = self.files[name]
        headers = {"ETag": f'"{hashlib.sha1(content).hexdigest()}"', "X-Repo-Commit": self.commit}
        return Reply(200, content, headers | {"Content-Type": "application/octet-stream"})

    @staticmethod
    def _error(number: int, code: str) -> Reply:
        headers = {"X-Error-Code": code, "X-Error-Message": code, "Content-Type": "application/json"}
        return Reply(number, json.dumps({"error": code}).encode(), headers)


@dataclass(frozen=True)
class HuggingFaceHere:
    """Where HuggingFace's libraries look, in this process and in those that it starts."""

    cache: Path
    patch: pytest.MonkeyPatch

    @classmethod
    def of(cls, home: Path, patch: pytest.MonkeyPatch) -> Self:
        """Nothing in the cache, and nobody at the hub's address."""
        here = cls(home / "hub", patch)
        patch.setenv("HF_HOME", str(home))
        for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
            patch.delenv(name, raising=False)
        patch.setattr(_hub_constants(), "HF_HUB_CACHE", str(here.cache))
        patch.setattr(_hub_constants(), "HF_HUB_OFFLINE", False)
        here.look_at("http://127.0.0.1:9")  # the discard port: nobody answers there
        return here

    def look_at(self, address: str) -> None:
        """Take this for the hub's address."""
        self.patch.setenv("HF_ENDPOINT", address)
        self.patch.setattr(_hub_constants(), "ENDPOINT", address)
        template = f"{address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        self.patch.setattr(_hub_constants(), "HUGGINGFACE_CO_URL_TEMPLATE", template)

    def forbid(self) -> None:
        """Have the environment say that the network is not to be used."""
        self.patch.setenv("HF_HUB_OFFLINE", "1")
        self.patch.setattr(_hub_constants(), "HF_HUB_OFFLINE", True)
