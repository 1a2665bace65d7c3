"""Loading models through sentence-transformers: quietly, from files that are there, with errors that say what to do.

A text goes through a model alone and in one thread, and texts go side by side: numbers of torch change their last
bits with the company of a text in a batch, and here its vector is to depend on the text alone.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hakari.errors import HakariError, MissingPrerequisite, UsageError, install_hint
from hakari.io.hub_models import COMMIT
from hakari.retrievers.model_settings import positions_in
from hakari.retrievers.model_source import ModelSource
from hakari.retrievers.models import object_in

PACKAGES = ("sentence-transformers", "transformers", "tokenizers", "torch")
"""What may move the last bits of what a model gives."""
BATCH = 32
"""Texts at a time on a graphics card, where nothing else was asked for."""


def require_torch(model: str) -> None:
    """Raise where sentence-transformers is not installed."""
    if importlib.util.find_spec("sentence_transformers") is None:
        raise MissingPrerequisite(
            f"`{model}` needs sentence-transformers, which is not installed", install_hint("torch")
        )


def check_trust(source: ModelSource, settings: Mapping[str, Any]) -> None:
    """Raise where code that comes with a model is to be run and it is not said exactly which."""
    if not settings.get("trust_remote_code"):
        return
    if not source.pinned:
        raise UsageError(
            f"`{source.spelling}`: trust_remote_code runs the model's own code, so its revision must be a commit",
            f"read the code, then write `{source.spelling.partition('@')[0]}@COMMIT`, 40 hexadecimal digits",
        )
    code = settings.get("code_revision")
    if code is not None and not COMMIT.fullmatch(code):
        raise UsageError(f"code_revision is `{code}`, which is no commit", "give 40 hexadecimal digits")


def load(kind: str, source: ModelSource, settings: Mapping[str, Any], **more: Any) -> Any:
    """A model of a class of sentence-transformers, from local files, on its device and ready for use.

    `settings` are those of `LoadSettings` that were asked for; `more` goes to the class as it is.
    """
    require_torch(source.spelling)
    check_trust(source, settings)
    folder = source.folder()
    trusted = bool(settings.get("trust_remote_code"))
    if trusted:
        _check_code(source, folder, settings)
    options = {"dtype": settings.get("dtype"), "attn_implementation": settings.get("attention")}
    code = {"code_revision": settings["code_revision"]} if settings.get("code_revision") else {}
    with _failures(source), _quiet():
        import sentence_transformers

        _check_device(settings.get("device"))

        model = getattr(sentence_transformers, kind)(
            str(folder),
            device=settings.get("device"),
            trust_remote_code=trusted,
            local_files_only=not code,
            model_kwargs={
                "use_safetensors": True,
                **code,
                **{k: v for k, v in options.items() if v is not None},
            },
            config_kwargs=dict(code),
            **more,
        )
        model.eval()
    return model


def how_loaded(settings: Mapping[str, Any]) -> dict[str, Any]:
    """How a model is loaded and run where neither flags, nor the catalog, nor its own files say it."""
    from sentence_transformers.util import get_device_name

    device = settings.get("device") or get_device_name()
    batch = 1 if device == "cpu" else BATCH
    return {"device": device, "batch_size": batch, "attention": "auto", "trust_remote_code": False}


@contextmanager
def one_thread() -> Iterator[None]:
    """One core for torch in the calling thread; what is computed then does not change with the machine.

    Afterwards the thread has as many as before, for whoever trains or computes in the same process.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def on_cpu(model: Any) -> bool:
    """Whether a model lies in the memory of the processor."""
    return bool(model.device.type == "cpu")


class TokenCounter:
    """Counts the tokens of texts as a whole, apart from the model's own tokenizer, which threads share."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer: Any = None
        self.added = self.added_to_pair = 0
        backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
        if hasattr(backend, "to_str"):
            import tokenizers

            self._tokenizer = tokenizers.Tokenizer.from_str(backend.to_str())
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
            self.added = self._tokenizer.num_special_tokens_to_add(False)
            self.added_to_pair = self._tokenizer.num_special_tokens_to_add(True)

    def count(self, text: str, limit: int | None, added: int | None = None) -> tuple[int, int]:
        """The tokens of a text without those that the tokenizer adds, and how many are beyond the limit."""
        if self._tokenizer is None:
            return 0, 0
        whole = len(self._tokenizer.encode(text, add_special_tokens=False).ids)
        room = None if limit is None else limit - (self.added if added is None else added)
        return whole, 0 if room is None else max(0, whole - max(0, room))


def _check_device(device: str | None) -> None:
    """Raise where there is no such device, before a model is blamed for it."""
    import torch

    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise UsageError(
            f"device `{device}` cannot be used: {_first_line(error)}", "device=cpu works everywhere"
        ) from error


def _check_code(source: ModelSource, folder: Path, settings: Mapping[str, Any]) -> None:
    """Code of another repository has to be pinned as well."""
    for path in sorted(folder.rglob("config.json")):
        named = object_in(path).get("auto_map") or {}
        for reference in named.values() if isinstance(named, dict) else ():
            other, dashes, _ = str(reference).partition("--")
            if dashes and not settings.get("code_revision"):
                raise UsageError(
                    f"`{source.spelling}` runs code of another repository, `{other}`, which must be a commit too",
                    f"read the code of `{other}`, then add code_revision=COMMIT",
                )


@contextmanager
def _failures(source: ModelSource) -> Iterator[None]:
    """Whatever a library raises over files or settings, in one line."""
    try:
        yield
    except HakariError:
        raise
    except ImportError as error:
        raise MissingPrerequisite(
            f"`{source.spelling}` needs a package that is not installed: {_first_line(error)}",
            _install_line(error),
        ) from error
    except Exception as error:  # many classes, of several libraries
        raise failure_of(source, error) from error


@contextmanager
def running(source: ModelSource, settings: Mapping[str, Any]) -> Iterator[None]:
    """Whatever a library raises while a model reads texts, in one line with the setting that is likely behind it."""
    try:
        yield
    except HakariError:
        raise
    except Exception as error:  # many classes, of several libraries
        told = f"`{source.spelling}` failed while it read a text: {_first_line(error)}"
        raise UsageError(told, _way_out(source, settings, str(error))) from error


def _way_out(source: ModelSource, settings: Mapping[str, Any], told: str) -> str:
    positions = positions_in(source.folder())
    asked = settings.get("max_length")
    if positions and asked and asked > positions:
        return f"max_length={positions}: the model has no more positions for tokens"
    if "out of memory" in told.lower():
        return "give it less at a time: a smaller batch_size or max_length, or device=cpu"
    return "see whether the model reads texts in sentence-transformers by itself, or choose other settings"


def failure_of(source: ModelSource, error: Exception) -> UsageError:
    """The error for a model that a library cannot load or run."""
    told = str(error)
    if "trust_remote_code" in told:
        commit = source.identity().get("commit")
        pinned = f"{source.spelling.partition('@')[0]}@{commit}" if commit else source.spelling
        return UsageError(
            f"`{source.spelling}` comes with code of its own, which is not run unless asked for",
            f"read the code, then write `{pinned}(trust_remote_code=true)`",
        )
    if "safetensors" in told and "no file named" in told.lower():
        return UsageError(
            f"`{source.spelling}` has no weights as safetensors, and older formats run code when they are read",
            "name a revision that has them, or convert it with `model.save_pretrained(...)`",
        )
    return UsageError(f"`{source.spelling}` cannot be loaded: {_first_line(error)}", source.repair())


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:300]


def _install_line(error: Exception) -> str:
    if "flashattention" in str(error).lower():
        return "choose attention=sdpa, which needs no further package"
    told = re.search(r"pip install [^\n`'\"]+", str(error))
    return (
        told[0].strip() if told else f"pip install {getattr(error, 'name', None) or 'the package it names'}"
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Libraries without their bars, logs and warnings: what matters is told by an error."""
    import logging
    import warnings

    import transformers

    bars = transformers.utils.logging.is_progress_bar_enabled()
    loggers = [logging.getLogger(name) for name in ("transformers", "sentence_transformers")]
    levels = [logger.level for logger in loggers]
    transformers.utils.logging.disable_progress_bar()
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        if bars:
            transformers.utils.logging.enable_progress_bar()
