"""The evaluator and the gate in real trainings, of models small enough to be trained in seconds."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small import small_set, small_task

from hakari.errors import UsageError

sentence_transformers = pytest.importorskip("sentence_transformers", reason="pip install 'hakari[torch]'")
datasets = pytest.importorskip("datasets", reason="pip install 'hakari[peers]'")
pytestmark = [
    pytest.mark.peer,
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # those of the training stack are not ours
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_set(tmp_path_factory.mktemp("set"))


def tokenizer() -> Any:
    import tokenizers

    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.Lowercase()
    made.pre_tokenizer = tokenizers.pre_tokenizers.Split(tokenizers.Regex(r"[a-z]+|[0-9]"), "isolated")
    task = small_task()
    trainer = tokenizers.trainers.WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    made.train_from_iterator([*task.corpus.texts, *task.queries.texts], trainer)
    return made


@pytest.fixture
def dense() -> Any:
    import torch
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    torch.manual_seed(0)
    return sentence_transformers.SentenceTransformer(
        modules=[StaticEmbedding(tokenizer(), embedding_dim=16)], device="cpu"
    )


def pairs(wrong: bool = False) -> Any:
    rows = []
    for seed in (1, 2):
        task = small_task("First" if seed == 1 else "Second", seed=seed)
        for q in range(len(task.queries)):
            own = task.qrels.documents[task.qrels.offsets[q]]
            rows.append((task.queries.texts[q], task.corpus.texts[(own + 7) % 90 if wrong else own]))
    anchors, positives = zip(*rows, strict=True)
    return datasets.Dataset.from_dict({"anchor": list(anchors), "positive": list(positives)})


def train(model: Any, evaluator: Any, folder: Path, callbacks: list[Any], **arguments: Any) -> Any:
    from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    wanted = {
        "num_train_epochs": 10,
        "per_device_train_batch_size": 16,
        "learning_rate": 0.05,
        "eval_strategy": "steps",
        "eval_steps": 10,
        "save_steps": 10,
        "logging_steps": 10,
        "report_to": "none",
        "use_cpu": True,
        "seed": 1,
        **arguments,
    }
    trainer = SentenceTransformerTrainer(
        model=model,
        args=SentenceTransformerTrainingArguments(output_dir=str(folder), **wanted),
        train_dataset=pairs(wrong=arguments.get("learning_rate", 0) > 1),
        loss=MultipleNegativesRankingLoss(model),
        evaluator=evaluator,
        callbacks=callbacks,
    )
    trainer.train()
    return trainer


def test_the_best_model_is_found_by_the_printed_name(
    dense: Any, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    from hakari.training import Evaluator, GateCallback

    evaluator = Evaluator(place, measures="nDCG@10,R@100", variants=("dim=8", "int8"))
    assert 'metric_for_best_model="eval_hakari_mean_nDCG@10"' in capsys.readouterr().out
    gate = GateCallback(evaluator)
    trainer = train(
        dense,
        evaluator,
        tmp_path,
        [gate],
        load_best_model_at_end=True,
        metric_for_best_model=evaluator.metric_for_best_model,
        greater_is_better=True,
    )
    logged = [row for row in trainer.state.log_history if "eval_hakari_mean_nDCG@10" in row]
    values = [row["eval_hakari_mean_nDCG@10"] for row in logged]
    assert trainer.state.best_metric == max(values)
    assert evaluator.history[0].steps == 0
    assert max(values) > evaluator.history[0].metrics["hakari_mean_nDCG@10"] + 0.2
    assert {
        "eval_hakari_NanoTest/First_R@100",
        "eval_hakari_int8_mean_nDCG@10",
        "eval_hakari_dim=8_mean_nDCG@10",
    } <= set(logged[0])
    assert evaluator(dense)["hakari_mean_nDCG@10"] == pytest.approx(max(values))  # the best one was loaded
    assert [step for step, _ in gate.verdicts] == [10, 20, 30]
    assert gate.verdicts[-1][1].decision == "pass"
    assert gate.verdicts[-1][1].rows[-1]["p"] < 0.01
    with open(tmp_path / "eval" / "hakari_evaluation_results.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["steps"] for row in rows] == ["10", "20", "30"]
    assert "hakari" in (tmp_path / "checkpoint-30" / "README.md").read_text(encoding="utf-8")
    assert max(one.seconds for one in evaluator.history) < 5


def test_training_stops_where_the_model_is_surely_worse(dense: Any, place: Path, tmp_path: Path) -> None:
    from hakari.training import Evaluator, GateCallback

    evaluator = Evaluator(place)
    train(dense, evaluator, tmp_path / "good", [])
    base = evaluator.evaluate(dense)
    gate = GateCallback(evaluator, base=base, max_drop=0.02)
    trainer = train(dense, evaluator, tmp_path / "bad", [gate], learning_rate=5.0)
    assert [verdict.decision for _, verdict in gate.verdicts] == ["fail"]
    assert trainer.state.global_step == 10
    warned = GateCallback(evaluator, base=base, max_drop=0.02, on_fail="warn")
    trainer = train(dense, evaluator, tmp_path / "warned", [warned], learning_rate=5.0)
    assert trainer.state.global_step == 30


def test_its_numbers_are_those_of_sentence_transformers(dense: Any, place: Path) -> None:
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

    import hakari
    from hakari.training import Evaluator

    ours = Evaluator(place / "First", measures="RR@10,hit@10")(dense)
    task = hakari.load(place / "First")[0]
    theirs = InformationRetrievalEvaluator(
        dict(zip(task.queries.ids, task.queries.texts, strict=True)),
        dict(zip(task.corpus.ids, task.corpus.texts, strict=True)),
        {
            q: {task.corpus.ids[task.qrels.documents[task.qrels.offsets[i]]]}
            for i, q in enumerate(task.queries.ids)
        },
        show_progress_bar=False,
    )(dense)
    assert ours["hakari_mean_RR@10"] == pytest.approx(theirs["cosine_mrr@10"], abs=1e-6)
    assert ours["hakari_mean_hit@10"] == pytest.approx(theirs["cosine_accuracy@10"], abs=1e-6)


def test_sparse_models(place: Path) -> None:
    import torch
    from sentence_transformers.sparse_encoder.modules import SparseStaticEmbedding
    from transformers import PreTrainedTokenizerFast

    from hakari.training import Evaluator

    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer(),
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )
    weight = torch.ones(len(fast))
    model = sentence_transformers.SparseEncoder(
        modules=[SparseStaticEmbedding(fast, weight=weight)], device="cpu"
    )
    metrics = Evaluator(place)(model)
    assert metrics["hakari_mean_nDCG@10"] > 0.5  # words in common, which is what the task is made of


@pytest.fixture
def cross() -> Iterator[Any]:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(0)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer(),
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )
    config = BertConfig(
        vocab_size=len(fast),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        num_labels=1,
    )
    with tempfile.TemporaryDirectory() as folder:
        BertForSequenceClassification(config).save_pretrained(folder)
        fast.save_pretrained(folder)
        yield sentence_transformers.CrossEncoder(folder, device="cpu")


def test_cross_encoders_put_candidates_into_order(cross: Any, place: Path, tmp_path: Path) -> None:
    from hakari.training import Evaluator

    evaluator = Evaluator(place, measures="nDCG@10,R@10", depth=20, batch_size=64)
    first = evaluator(cross, str(tmp_path), 0, 0)
    assert evaluator(cross) == first
    chance = 10 / 20
    assert 0 <= first["hakari_mean_R@10"] <= 1
    assert abs(first["hakari_mean_R@10"] - chance) < 0.35  # untrained, so near chance among its candidates


def test_samples_keep_what_is_judged(place: Path, dense: Any) -> None:
    from hakari.training import Evaluator

    evaluator = Evaluator(place, queries=10, documents=30)
    for task in evaluator.tasks:
        assert len(task.queries) == 10
        assert len(task.corpus) == 30
        assert np.diff(task.qrels.offsets).min() == 1
    assert set(evaluator(dense)) == {
        "hakari_mean_nDCG@10",
        "hakari_NanoTest/First_nDCG@10",
        "hakari_NanoTest/Second_nDCG@10",
    }


def test_what_cannot_be_is_told(place: Path, dense: Any) -> None:
    from hakari.training import Evaluator, GateCallback

    with pytest.raises(UsageError, match="does not measure"):
        GateCallback(Evaluator(place), measure="R@100")
    with pytest.raises(UsageError, match="no model that can be evaluated"):
        Evaluator(place)(object())
