"""Small models of every family, assembled by sentence-transformers itself and saved as it saves them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from minilm import minilm

WORDS = ("read", "write", "open", "close", "parse", "stream", "socket", "thread", "buffer", "cursor", "index")


def _saved(folder: Path, make: Callable[[], Any]) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch

        torch.manual_seed(7)
        make().save_pretrained(str(folder))
    return folder


def _tiny(kind: str, **more: Any) -> Any:
    """A BERT of two small layers with random weights, and the tokenizer of a real model."""
    import transformers

    config = transformers.BertConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, **more
    )
    return getattr(transformers, kind)(config)


def _backbone(folder: Path, kind: str, **more: Any) -> str:
    import transformers

    _tiny(kind, **more).save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(str(minilm())).save_pretrained(folder)
    return str(folder)


def colbert(folder: Path) -> Path:
    """all-MiniLM-L6-v2 with a projection of its tokens to 16 dimensions, markers and a skiplist."""

    def make() -> Any:
        import torch
        from sentence_transformers import MultiVectorEncoder
        from sentence_transformers.base.modules import Dense, Normalize, Transformer
        from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask

        backbone = Transformer(str(minilm()), max_seq_length=64)
        projection = Dense(
            384, 16, bias=False, activation_function=torch.nn.Identity(), module_input_name="token_embeddings"
        )
        modules = [
            backbone,
            projection,
            MultiVectorMask(skiplist_words=["(", ")", ":", "_"]),
            Normalize(module_input_name="token_embeddings"),
        ]
        return MultiVectorEncoder(modules=modules, prompts={"query": "query: ", "document": ""}, device="cpu")

    return _saved(folder, make)


def splade(folder: Path) -> Path:
    """SPLADE over a tiny masked language model."""

    def make() -> Any:
        from sentence_transformers import SparseEncoder

        return SparseEncoder(_backbone(folder.with_name("mlm"), "BertForMaskedLM"), device="cpu")

    return _saved(folder, make)


def static_sparse(folder: Path) -> Path:
    """One fixed weight a word, which is 1, and 3 for some."""

    def make() -> Any:
        import torch
        import transformers
        from sentence_transformers import SparseEncoder
        from sentence_transformers.sparse_encoder.modules import SparseStaticEmbedding

        tokenizer = transformers.AutoTokenizer.from_pretrained(str(minilm()))
        weights = torch.ones(len(tokenizer.get_vocab()))
        weights[tokenizer.convert_tokens_to_ids(WORDS)] = 3.0
        return SparseEncoder(modules=[SparseStaticEmbedding(tokenizer, weights)], device="cpu")

    return _saved(folder, make)


def cross_encoder(folder: Path, labels: int = 1) -> Path:
    """A tiny cross-encoder."""

    def make() -> Any:
        from sentence_transformers import CrossEncoder

        path = _backbone(
            folder.with_name(f"pairs{labels}"), "BertForSequenceClassification", num_labels=labels
        )
        return CrossEncoder(path, device="cpu", max_length=64)

    return _saved(folder, make)
