"""A ``tokenizer.json`` as users bring it for models whose tokenizer is not shipped."""

from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from webrag_desktop.embedding.tokenizers.shipped import WordPieceTokenizer


def unigram_file(path: Path) -> Path:
    """A SentencePiece-like tokenizer as bge-m3's: meta-spaces, two specials, truncation and padding on."""
    pieces = [
        ("<unk>", 0.0),
        ("▁", -3.0),
        ("▁deep", -2.0),
        ("▁tree", -2.0),
        ("s", -4.0),
        ("日本", -3.0),
        ("語", -3.0),
    ]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(["<s>", "</s>"])
    specials = [("<s>", tokenizer.token_to_id("<s>")), ("</s>", tokenizer.token_to_id("</s>"))]
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=specials)
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=16)
    tokenizer.save(str(path))
    return path


def bert_file(path: Path) -> Path:
    """The shipped tokenizer as a file: what the stand-in server counts with."""
    WordPieceTokenizer()._tokenizer.save(str(path))
    return path
