"""A cross-encoder of a few numbers: what a passage's words are worth, summed up."""

from pathlib import Path

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from webrag_desktop.embedding.fused.onnx_format import (
    FLOAT,
    INT64,
    add_node,
    add_tensor,
    describe,
    new_model,
    to_bytes,
)

WORTH = {"tide": 3.0, "low": 1.0, "storm": -2.0}
BIAS = -2.0
_SPECIALS = ("[UNK]", "[CLS]", "[SEP]")


def write_cross_encoder(folder: Path, *, outputs: int = 1, inputs: tuple[str, ...] | None = None) -> Path:
    """Write model and tokenizer; the logit is the worth of the second text's words, each time they stand there, + BIAS.

    With two ``outputs`` the first is for no and the second for yes, each half of the logit.
    """
    words = (*_SPECIALS, *WORTH)
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, "[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    file = folder / "tiny.onnx"
    file.write_bytes(_model(words, outputs, inputs or ("input_ids", "attention_mask", "token_type_ids")))
    return file


def _model(words: tuple[str, ...], outputs: int, inputs: tuple[str, ...]) -> bytes:
    model = new_model(opset=17, contributed=1)
    graph = model.graph
    for name in inputs:
        describe(graph.input, name, INT64, (1, "length"))
    signs = np.array(
        [[1.0]] if outputs == 1 else [[-0.5, 0.5]] if outputs == 2 else [[1.0] * outputs], np.float32
    )
    add_tensor(graph, "worth", np.array([[WORTH.get(word, 0.0)] for word in words], np.float32))
    add_tensor(graph, "bias", np.array([[BIAS]], np.float32))
    add_tensor(graph, "signs", signs)
    add_tensor(graph, "axis", np.array([1], np.int64))
    add_tensor(graph, "last", np.array([2], np.int64))
    add_node(graph, "Gather", ["worth", inputs[0]], ["each"], "")
    add_node(graph, "Mul", [inputs[-1], inputs[-2]], ["counts"], "")
    add_node(graph, "Cast", ["counts"], ["counted"], "", to=FLOAT)
    add_node(graph, "Unsqueeze", ["counted", "last"], ["column"], "")
    add_node(graph, "Mul", ["each", "column"], ["held"], "")
    add_node(graph, "ReduceSum", ["held", "axis"], ["sum"], "", keepdims=0)
    add_node(graph, "Add", ["sum", "bias"], ["logit"], "")
    add_node(graph, "MatMul", ["logit", "signs"], ["logits"], "")
    describe(graph.output, "logits", FLOAT, (1, outputs))
    return to_bytes(model)
