"""A model beside an audit: what it was trained on, and what is on record of that for a task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import within
from small import small_set

from hakari.audit.record import record
from hakari.audit.run import audit
from hakari.io.files import connect
from hakari.retrievers.hub_catalog import hub_catalog
from hakari.retrievers.models import catalog
from hakari.retrievers.trained_on import catalogued, of_card, trained_on
from hakari.tasks.catalog import find
from hakari.tasks.origins import stem
from hakari.tasks.registry import load
from hakari.tasks.training_audits import (
    AUDITED,
    SAME_SOURCE,
    UNKNOWN,
    UNTRAINED,
    TrainedOn,
    audits_on_record,
    training_audit,
)


def entry(name: str, risk: str) -> dict[str, Any]:
    return {"source_dataset": name, "risk": risk}


def test_who_says_nothing_is_unknown_and_who_is_not_trained_is_not() -> None:
    audits = [entry("org/train", "direct")]
    assert training_audit(None, "NanoX/Y", audits).state == UNKNOWN
    assert training_audit(trained_on("bm25(k1=1.2)"), "NanoX/Y", audits).state == UNTRAINED
    other = training_audit(TrainedOn(("org/other",), "card"), "NanoX/Y", audits)
    assert (other.state, other.not_audited, other.risk) == (UNKNOWN, ("org/other",), None)


def test_audits_of_data_that_a_model_names_are_its_own_and_the_worst_counts() -> None:
    audits = [entry("org/One-Set", "none found"), entry("org/two", "near"), entry("org/three", "direct")]
    trained = TrainedOn(("org/one_set", "https://huggingface.co/datasets/org/two", "org/four"), "card")
    found = training_audit(trained, "NanoX/Y", audits)
    assert (found.state, found.risk, found.not_audited) == (AUDITED, "near", ("org/four",))
    assert list(found.audits) == audits[:2]
    assert found.why == "Compared: 2 of 3 training sets that it names."


@pytest.mark.parametrize(
    ("data", "task"),
    [
        ("FIQA", "NanoBEIR-en/NanoFiQA2018"),
        ("MSMARCOHardNegatives", "NanoBEIR-ar/NanoMSMARCO"),
        ("CosQARetrieval", "NanoCoIR/NanoCosQA"),
        ("mteb/nq", "NanoBEIR-en/NanoNQ"),
        ("MIRACLRetrieval", "NanoMIRACL/de"),
    ],
)
def test_data_named_like_the_task_are_a_state_of_their_own(data: str, task: str) -> None:
    found = training_audit(TrainedOn((data, "org/else"), "card"), task, [])
    assert (found.state, found.same_source, found.risk) == (SAME_SOURCE, (data,), None)
    assert training_audit(TrainedOn(("FEVER",), "card"), "NanoX/NanoClimateFEVER", []).state == UNKNOWN


def test_names_of_tasks_come_down_to_their_data_set() -> None:
    assert {stem(n) for n in ("NanoFiQA2018", "FiQA2018HardNegatives", "mteb/fiqa2018", "FiQA2018.v2")} == {
        "fiqa"
    }
    assert stem("Retrieval") != ""
    assert stem("NanoT2Retrieval") == "t2" != stem("NanoNQ")


def test_a_published_audit_gets_its_risk_from_its_counts() -> None:
    task = find("NanoCoIR/NanoCodeFeedbackMT")
    assert task is not None
    (audit,) = audits_on_record(task, None, task.split)
    assert (audit["risk"], audit["source_dataset"]) == ("direct", "m-a-p/Code-Feedback")
    found = training_audit(TrainedOn(("m-a-p/Code-Feedback",), "card"), task.name, [audit])
    assert (found.state, found.risk) == (AUDITED, "direct")


def test_an_audit_on_record_reaches_the_model_whose_card_names_its_data(tmp_path: Path) -> None:
    nano = small_set(tmp_path)
    task = load(f"{nano}/First")[0]
    train = tmp_path / "train.parquet"
    with connect() as con:
        con.execute("CREATE TABLE t AS SELECT unnest(?::VARCHAR[]) AS text", [list(task.queries.texts)])
        con.execute(f"COPY t TO '{train}' (FORMAT parquet)")
    report = audit([train], [f"{nano}/First"])
    list(record(report, {task.name: nano}, "org/mine"))
    model = tmp_path / "model"
    model.mkdir()
    (model / "README.md").write_text("---\ntags: [a]\ndatasets:\n- org/mine\n- 'org/other'\n---\n# Model\n")
    trained = trained_on(f"st:{model}")
    assert trained is not None
    assert trained.data == ("org/mine", "org/other")
    found = training_audit(trained, task.name, audits_on_record(None, task.source, task.split))
    assert (found.state, found.risk, found.not_audited) == (AUDITED, "direct", ("org/other",))


@pytest.mark.parametrize(
    ("matter", "names"),
    [
        ("datasets: org/one", ("org/one",)),
        ("datasets: [org/one, \"org/two\", 'org/one']", ("org/one", "org/two")),
        ("datasets:\n  - org/one # first\n  -   org/two\nlicense: mit\n- org/three", ("org/one", "org/two")),
        ("datasets:\r\n- org/one\r\n", ("org/one",)),
        ("datasets: []", None),
        ("license: mit", None),
    ],
)
def test_cards_are_read_in_either_way_of_writing_a_list(
    tmp_path: Path, matter: str, names: tuple[str, ...] | None
) -> None:
    card = tmp_path / "README.md"
    card.write_bytes(f"---\n{matter}\n---\ndatasets:\n- org/in-the-text\n".encode())
    found = of_card(card)
    assert (None if found is None else found.data) == names
    assert of_card(tmp_path / "none.md") is None


def test_the_catalog_names_models_that_it_has_and_says_from_where() -> None:
    models = {**hub_catalog(), **catalog()}
    assert set(catalogued()) <= set(models)
    assert all(told.data and told.source.startswith("https://") for told in catalogued().values())
    assert trained_on("hf:BAAI/bge-small-en-v1.5@main") == trained_on("bge_small_en")
    assert trained_on("no such thing (") is None
    assert trained_on("hf:org/never-heard-of") is None


def test_what_has_parts_is_known_if_all_of_them_are() -> None:
    both = trained_on("rrf(bm25,bge_small_en,k=60)")
    alone = trained_on("bge_small_en")
    assert both == alone
    assert both is not None
    reranked = trained_on("rerank(rrf(bm25,bge_small_en),reranker_en)")
    assert reranked is not None
    assert set(reranked.data) == {*alone.data, "MSMARCO"}
    assert trained_on("rrf(bm25,static:wordllama)") is None


def test_the_listing_says_what_is_known() -> None:
    told = {row["name"]: row["trained_on"] for row in json.loads(within("retrievers", "--json").stdout)}
    assert told["bm25"] == []
    assert told["bge_small_en"] == told["bge-small-en-v1.5"]
    assert told["onnx:PATH"] is None
