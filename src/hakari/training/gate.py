"""A callback that holds a model in training against its base model by a paired test."""

from __future__ import annotations

from typing import Any, Literal

from transformers import TrainerCallback

from hakari.errors import UsageError
from hakari.measures import parse
from hakari.report.gate import Side, Verdict, verdict
from hakari.report.results import System
from hakari.retrievers.base import BASE_VARIANT
from hakari.training.evaluator import Evaluation, Evaluator


class GateCallback(TrainerCallback):
    """After every evaluation: has the model lost more than it may against the base model, on the same queries?

    The base model is weighed when training begins, or given as an `Evaluation`, such as
    `evaluator.evaluate(model)`. Where the paired interval shows a drop of more than `max_drop`, training stops;
    with `on_fail="warn"` it is only told. Verdicts are kept, and their numbers added to the metrics.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        *,
        base: Evaluation | None = None,
        max_drop: float = 0.0,
        measure: str | None = None,
        on_fail: Literal["stop", "warn"] = "stop",
        seed: int = 0,
    ) -> None:
        if on_fail not in ("stop", "warn"):
            raise UsageError(f"on_fail is `{on_fail}`", "`stop` or `warn`")
        self.evaluator, self.base = evaluator, base
        self.measure = parse(measure) if measure else evaluator.wanted[0]
        if self.measure not in evaluator.wanted:
            raise UsageError(
                f"the evaluator does not measure `{self.measure}`",
                f'Evaluator(..., measures="{",".join(map(str, (*evaluator.wanted, self.measure)))}")',
            )
        self.max_drop, self.on_fail, self.seed = max_drop, on_fail, seed
        self.verdicts: list[tuple[int, Verdict]] = []
        """The step and what was decided, for each evaluation."""

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Weigh the base model, where that is not done."""
        if self.base is None:
            self.base = self.evaluator.evaluate(kwargs["model"], epoch=0, steps=0)

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Judge the evaluation that has just been made."""
        found = self.judged()
        if found is None:
            return
        self.verdicts.append((state.global_step, found))
        last = found.rows[-1]
        metrics = kwargs.get("metrics")
        if isinstance(metrics, dict):
            head = f"eval_{self.evaluator.name}_against_base_{self.measure}"
            metrics |= {f"{head}_{key}": last[key] for key in ("diff", "low", "high", "p")}
        if state.is_world_process_zero:
            print(f"step {state.global_step}, against the base model: {found.reason()}")
        if found.decision == "fail" and self.on_fail == "stop":
            control.should_training_stop = True

    def judged(self) -> Verdict | None:
        """The latest evaluation against the base model; None where there is none to judge."""
        history = self.evaluator.history
        if self.base is None or not history or history[-1] is self.base:
            return None
        sides = (
            Side(System(name, BASE_VARIANT), one.weighed[BASE_VARIANT])
            for name, one in (("base model", self.base), ("model in training", history[-1]))
        )
        return verdict(*sides, measure=self.measure, max_drop=self.max_drop, seed=self.seed)
