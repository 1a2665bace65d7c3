"""Running ONNX models on one text at a time.

A dynamically quantised model gives a text another vector in other company, because its activations are
scaled over the whole batch. Alone, a text always gets the same vector, and nothing is spent on padding.
A session is made for one thread; callers run texts side by side, as onnxruntime releases the interpreter.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hakari.errors import Fault, InvalidInput, MissingPrerequisite, UsageError, install_hint
from hakari.retrievers.long_texts import TokenizerRuler
from hakari.retrievers.model_settings import positions_in
from hakari.retrievers.models import ModelFiles, Usage

Vector = npt.NDArray[np.float32]


class Tokens(NamedTuple):
    """A text as a model sees it, and how much of it the model does not see."""

    ids: npt.NDArray[np.int64]
    type_ids: npt.NDArray[np.int64]
    whole: int
    """Tokens of the whole text, without those that the tokenizer adds."""
    cut: int
    """Tokens left out because the text is longer than the model reads."""


class Encoding(NamedTuple):
    """The vector of one text, and what it cost."""

    vector: Vector
    tokens: int
    cut: int
    seconds: float


class OnnxModel:
    """A session and its tokenizer: text to tokens, tokens to the outputs of the graph."""

    def __init__(self, files: ModelFiles, max_length: int, extra: str = "onnx") -> None:
        try:
            import onnxruntime
            import tokenizers
        except ImportError as error:
            raise MissingPrerequisite(
                f"ONNX models need onnxruntime and tokenizers ({error})", install_hint(extra)
            ) from error
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
        except Exception as error:  # tokenizers raises nothing narrower
            raise _unreadable(files.tokenizer, error) from error
        try:
            self._session = onnxruntime.InferenceSession(
                str(files.graph), _session_options(onnxruntime), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime raises a different class for each kind of fault
            raise _unreadable(files.graph, error) from error
        self._added = self._tokenizer.num_special_tokens_to_add(False)
        if max_length <= self._added:
            raise UsageError(
                f"max_length is {max_length}, and the tokenizer itself adds {self._added} tokens",
                "max_length=512",
            )
        self._max_length = max_length
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_length)
        self._inputs = {
            i.name: np.int32 if "int32" in i.type else np.int64 for i in self._session.get_inputs()
        }
        unknown = sorted(
            self._inputs.keys() - {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
        )
        if unknown:
            raise InvalidInput(
                "the model", [Fault(f"unknown input `{name}`", str(files.graph)) for name in unknown]
            )
        self.outputs: tuple[str, ...] = tuple(output.name for output in self._session.get_outputs())
        self.graph = files.graph

    def ruler(self) -> TokenizerRuler:
        """How tokens are counted, whether they are read or not."""
        return TokenizerRuler(self._tokenizer, self._max_length)

    def tokenise(self, text: str) -> Tokens:
        """The tokens of a text, cut to what the model reads."""
        encoding = self._tokenizer.encode(text)
        cut = sum(len(rest.ids) - self._added for rest in encoding.overflowing)
        whole = max(0, len(encoding.ids) - self._added) + cut
        return Tokens(np.array([encoding.ids], np.int64), np.array([encoding.type_ids], np.int64), whole, cut)

    def run(self, tokens: Tokens, output: str) -> npt.NDArray[np.floating]:
        """One output of the graph for one text, without the dimension of the batch."""
        feed = {
            "input_ids": tokens.ids,
            "attention_mask": np.ones_like(tokens.ids),
            "token_type_ids": tokens.type_ids,
            "position_ids": np.arange(tokens.ids.shape[1], dtype=np.int64)[None, :],
        }
        inputs = {name: feed[name].astype(dtype, copy=False) for name, dtype in self._inputs.items()}
        try:
            return self._session.run([output], inputs)[0][0]
        except Exception as error:  # onnxruntime raises a different class for each kind of fault
            count = tokens.ids.shape[1]
            told = f"`{self.graph}` fails on a text of {count} tokens: {_first_line(error)}"
            raise UsageError(told, self._way_out(count)) from error

    def _way_out(self, tokens: int) -> str:
        positions = positions_in(self.graph.parent) or positions_in(self.graph.parent.parent)
        if positions and tokens > positions:
            return f"max_length={positions}: the model has no more positions for tokens"
        return f"max_length={min(512, tokens - 1)}, or what the model was exported for"

    def output_named(self, wanted: str, usual: str) -> str:
        """The output to read: the one asked for, else the usual one where there is one, else the first."""
        if wanted and wanted not in self.outputs:
            listed = ", ".join(self.outputs)
            raise UsageError(f"{self.graph} has no output `{wanted}`", f"output=NAME, one of {listed}")
        return wanted or (usual if usual in self.outputs else self.outputs[0])


@dataclass
class TextEncoder:
    """Text to one vector: a model, and how its outputs are pooled and scaled.

    The model is loaded when the first text is encoded, so that a task answered from the cache loads nothing.
    """

    files: ModelFiles
    usage: Usage
    extra: str = "onnx"
    _model: OnnxModel | None = field(default=None, init=False, repr=False)
    _loading: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def settings(self) -> dict[str, Any]:
        """Everything that decides the vector of a text."""
        return {
            **self.files.fingerprint(),
            "pooling": self.usage.pooling,
            "normalise": self.usage.normalise,
            "max_length": self.usage.max_length,
        }

    def load(self) -> OnnxModel:
        """The model, loaded once however many threads ask."""
        with self._loading:
            if self._model is None:
                self._model = OnnxModel(self.files, self.usage.max_length, self.extra)
            return self._model

    def ruler(self) -> TokenizerRuler:
        """How tokens are counted."""
        return self.load().ruler()

    def encode(self, text: str) -> Encoding:
        """The vector of a text, always the same whatever runs beside it."""
        model = self._model or self.load()
        start = time.perf_counter()
        tokens = model.tokenise(text)
        vector = self._pooled(model, tokens)
        if self.usage.normalise:
            vector = unit(vector)
        return Encoding(vector, tokens.whole, tokens.cut, time.perf_counter() - start)

    def _pooled(self, model: OnnxModel, tokens: Tokens) -> Vector:
        wanted = "sentence_embedding" if self.usage.pooling == "none" else "last_hidden_state"
        output = wanted if wanted in model.outputs else model.outputs[0]
        states = np.asarray(model.run(tokens, output), dtype=np.float32)
        rank = 1 if self.usage.pooling == "none" else 2
        if states.ndim != rank:
            meant = "none" if states.ndim == 1 else "cls, mean or last"
            raise UsageError(
                f"pooling `{self.usage.pooling}` does not fit {self.files.graph}: "
                f"its output `{output}` has {states.ndim} dimensions for a text",
                f"pooling={meant}",
            )
        if self.usage.pooling == "cls":
            return states[0].copy()
        if self.usage.pooling == "last":
            return states[-1].copy()
        return states.mean(axis=0, dtype=np.float32) if self.usage.pooling == "mean" else states


def unit(vectors: Vector) -> Vector:
    """Vectors of length one; a vector of zeros stays as it is."""
    # Summed by numpy and not by BLAS, whose result can change with the number of its threads.
    length = np.sqrt(np.sum(np.square(vectors, dtype=np.float64), axis=-1, keepdims=True))
    return (vectors / np.where(length > 0, length, 1)).astype(np.float32)


def _session_options(onnxruntime: Any) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    # The arena keeps the memory of the longest text for ever and, one text at a time, gains nothing.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4  # errors are raised as well, and told then
    return options


def _unreadable(path: Any, error: Exception) -> UsageError:
    return UsageError(
        f"`{path}` cannot be read: {_first_line(error)}", "export the model again to this folder"
    )


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]
