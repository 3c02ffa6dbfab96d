import numpy as np
import pytest

from webrag_desktop.embedding.fused.graph import installed_model_file, smoothing_factors
from webrag_desktop.embedding.fused.onnx_format import LAYERS, WIDTH, Linear, Weights, read_weights


@pytest.fixture(scope="module")
def weights() -> Weights:
    return read_weights(installed_model_file().read_bytes())


def test_every_product_has_its_place(weights: Weights) -> None:
    for layer in range(LAYERS):
        query = weights.linear(layer, "attention.self.query")
        all_three = weights.linear(
            layer, "attention.self.query", "attention.self.key", "attention.self.value"
        )
        assert all_three.weight.shape == (WIDTH, 3 * WIDTH)
        assert (all_three.weight[:, :WIDTH] == query.weight).all()
        assert (all_three.bias[:WIDTH] == query.bias).all()
        assert weights.linear(layer, "intermediate.dense").weight.shape == (WIDTH, 4 * WIDTH)
        assert weights.linear(layer, "output.dense").weight.shape == (4 * WIDTH, WIDTH)


def test_smoothing_moves_size_from_inputs_to_weights() -> None:
    random = np.random.default_rng(5)
    weight = random.integers(-127, 128, (8, 4)).astype(np.int8)
    linear = Linear(weight, random.random(4, np.float32), random.random(4, np.float32))
    factors = np.array([1, 1, 4, 1, 1, 2, 1, 1], np.float32)
    smoothed = linear.smoothed(factors)
    exact = weight * linear.scale * factors[:, None]
    assert np.abs(smoothed.weight * smoothed.scale - exact).max() <= smoothed.scale.max() / 2 * 1.001
    assert np.abs(smoothed.weight).max(axis=0).tolist() == [127] * 4
    assert (smoothed.bias == linear.bias).all()


def test_a_map_of_nothing_stays_one() -> None:
    nothing = Linear(np.zeros((2, 3), np.int8), np.ones(3, np.float32), np.zeros(3, np.float32))
    assert not nothing.smoothed(np.ones(2, np.float32)).weight.any()


def test_factors_only_ever_shrink_inputs() -> None:
    factors = smoothing_factors()
    assert factors.shape == (2 * LAYERS, WIDTH)
    assert factors.min() == 1
    assert (factors > 1).any(axis=1).all()
