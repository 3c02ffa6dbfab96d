"""How near links are in meaning: each name is embedded once, so many a round, and a model that fails costs nothing."""

import pytest

from webrag_desktop.errors import Cancelled, EmbeddingError
from webrag_desktop.expansion.contracts import LinkCandidate
from webrag_desktop.library.expansion import judging
from webrag_desktop.library.expansion.judging import Nearness
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken

QUESTION = [1.0, 0.0]
VECTORS = {"cable": [2.0, 0.0], "rope": [1.0, 1.0], "cheese": [0.0, 1.0], "opposite": [-1.0, 0.0]}


class Model:
    """Knows a few names by heart."""

    model = EmbeddingModel(backend="embedded", model="m", dimensions=2, tokenizer="t", max_tokens=9)

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        (cancel or CancelToken()).raise_if_cancelled()
        self.asked.append(texts)
        return [VECTORS[text] for text in texts]

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        raise AssertionError("the search has embedded the question")

    def close(self) -> None:
        pass


class BrokenModel(Model):
    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        raise EmbeddingError("The model is away.", "Start it.")


def link(path: str, text: str = "") -> LinkCandidate:
    return LinkCandidate(f"https://a.test/{path}", "https://a.test/", 1, text)


def test_links_are_compared_by_what_they_are_called_else_by_their_address() -> None:
    near = Nearness()
    links = [link("1", "cable"), link("rope"), link("3", "cheese"), link("4", "opposite")]
    near.learn(links, QUESTION, Model())
    found = [one.nearness for one in near.noted(links)]
    assert found == [pytest.approx(1.0), pytest.approx(0.5**0.5), 0.0, 0.0]


def test_a_model_whose_foreign_texts_are_near_is_read_on_its_own_scale() -> None:
    near, model = Nearness(), Model()
    model.model = model.model.model_copy(update={"similarity_floor": 0.65})
    near.learn(links := [link("1", "cable"), link("2", "rope")], QUESTION, model)
    found = [one.nearness for one in near.noted(links)]
    assert found == [pytest.approx(1.0), pytest.approx(1 - 2 * (1 - 0.5**0.5))]


def test_each_name_is_embedded_once_and_so_many_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "MOST_COMPARED", 2)
    near, model = Nearness(), Model()
    links = [link("1", "cable"), link("2", "cable"), link("3", "rope"), link("4", "cheese")]
    near.learn(links, QUESTION, model)
    near.learn(links, QUESTION, model)
    near.learn(links, QUESTION, model)
    assert model.asked == [["cable", "rope"], ["cheese"]]


def test_without_a_model_nothing_is_compared() -> None:
    near = Nearness()
    near.learn([link("1", "cable")], QUESTION, BrokenModel())
    assert near.noted([link("1", "cable")]) == [link("1", "cable")]


def test_a_stop_is_not_held_up_by_the_model() -> None:
    stopped = CancelToken()
    stopped.cancel()
    with pytest.raises(Cancelled):
        Nearness().learn([link("1", "cable")], QUESTION, Model(), stopped)
