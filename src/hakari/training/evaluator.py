"""An evaluator that trainers of sentence-transformers call at every evaluation."""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentence_transformers.base.evaluation import BaseEvaluator

from hakari import api
from hakari.measures import Measure, parse_many
from hakari.report.results import Weighed, from_run
from hakari.retrievers.registry import parse
from hakari.retrievers.variant_names import FLOAT, parse_specs
from hakari.training.rank import Ranker
from hakari.training.sample import sampled


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How a model did at one step: the values of every query, which paired tests need, and their means."""

    epoch: float
    steps: int
    weighed: Mapping[str, Mapping[str, Weighed]]
    """By variant and task."""
    metrics: Mapping[str, float]
    seconds: float


@dataclass(eq=False)
class Evaluator(BaseEvaluator):
    """Weighs a model on tasks, during training or on its own: dense, sparse or cross-encoder.

    Called with a model it returns the metrics of the trainer: `<name>_mean_<measure>` over the tasks and
    `<name>_<task>_<measure>` for each. The first measure makes `primary_metric`, and `metric_for_best_model` is
    what the arguments of the trainer want; it is printed once.

    >>> evaluator = Evaluator("path/to/NanoX", measures="nDCG@10,R@100", queries=50, documents=1000)
    >>> evaluator(model)[evaluator.primary_metric]
    """

    on: api.Tasks
    """Tasks, as `hakari.run` takes them."""
    measures: str | Sequence[str] = "nDCG@10"
    name: str = "hakari"
    """What every metric begins with."""
    queries: int | None = None
    """How many queries of each task are used; all where no number is given."""
    documents: int | None = None
    """How many documents of each task are used; the relevant ones are always among them."""
    variants: Sequence[str] = ()
    """Variants of dense models to show beside `float`: `("dim=128", "int8")`."""
    candidates: str = "bm25"
    """The retriever whose best documents a cross-encoder puts into order."""
    depth: int = 100
    """How many of these."""
    batch_size: int = 32
    seed: int = 0
    """Of the choice of queries and documents."""
    tasks_dir: str | Path | None = None
    write_csv: bool = True
    """Whether a table of all evaluations is written to the folder of the trainer."""

    def __post_init__(self) -> None:
        super().__init__()
        self.wanted: tuple[Measure, ...] = tuple(parse_many(self.measures))
        loaded = api.load(self.on, self.tasks_dir)
        self.tasks = [sampled(task, self.queries, self.documents, self.seed) for task in loaded]
        deepest = max(int(measure.depth or 0) for measure in self.wanted)
        self._ranker = Ranker(
            depth=max(deepest, self.depth),
            variants=parse_specs(self.variants),
            first=parse(self.candidates),
            candidates=self.depth,
            batch_size=self.batch_size,
        )
        self.history: list[Evaluation] = []
        self.primary_metric = f"{self.name}_mean_{self.wanted[0]}"
        print(f'metric_for_best_model="{self.metric_for_best_model}"')

    @property
    def metric_for_best_model(self) -> str:
        """What the arguments of the trainer want under this name, to the letter."""
        return f"eval_{self.primary_metric}"

    @property
    def description(self) -> str:
        """What model cards call this evaluator."""
        return "hakari"

    def get_config_dict(self) -> dict[str, Any]:
        """What model cards tell of this evaluator."""
        return {"tasks": [task.name for task in self.tasks], "measures": [str(m) for m in self.wanted]}

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: float = -1, steps: int = -1
    ) -> dict[str, float]:
        """The metrics of a model as it is now."""
        found = self.evaluate(model, epoch, steps)
        if output_path is not None and self.write_csv:
            self._write(Path(output_path), found)
        metrics = dict(found.metrics)
        self.store_metrics_in_model_card_data(model, metrics, epoch, steps)  # type: ignore[arg-type]
        return metrics

    def evaluate(self, model: Any, epoch: float = -1, steps: int = -1) -> Evaluation:
        """How a model does as it is now, query by query; kept in `history`."""
        start = time.perf_counter()
        weighed: dict[str, dict[str, Weighed]] = {}
        for task in self.tasks:
            for variant, run in self._ranker.runs(model, task).items():
                scored = from_run(run, task.qrels, task.name, self.wanted)
                weighed.setdefault(variant, {})[task.name] = scored
        metrics = self._metrics(weighed)
        found = Evaluation(epoch, steps, weighed, metrics, time.perf_counter() - start)
        self.history.append(found)
        return found

    def _metrics(self, weighed: Mapping[str, Mapping[str, Weighed]]) -> dict[str, float]:
        """The mean over tasks first, then every task; variants other than `float` by their name."""
        named: dict[str, float] = {}
        for variant, by_task in weighed.items():
            head = self.name if variant == str(FLOAT) else f"{self.name}_{variant}"
            for measure in self.wanted:
                means = {task: one.mean(measure) for task, one in by_task.items()}
                named[f"{head}_mean_{measure}"] = math.fsum(means.values()) / len(means)
                for task, mean in means.items():
                    named[f"{head}_{task}_{measure}"] = mean
        return named

    def _write(self, folder: Path, found: Evaluation) -> None:
        """Add a row to the table of this evaluator in the trainer's folder."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}_evaluation_results.csv"
        fresh = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            if fresh:
                writer.writerow(["epoch", "steps", *found.metrics])
            writer.writerow([found.epoch, found.steps, *found.metrics.values()])
