"""Results in the forms of others, and theirs in ours: read back by their own readers where they are installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import hakari_json, within
from small import small_set

from hakari.io.figures import measure_of, mteb_key
from hakari.io.yaml_text import to_yaml
from hakari.report.submit import named
from hakari.store.files import Stored
from hakari.store.imported import read_imported


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exchange")
    within("run", "bm25", "bm25-code(k1=1.5)", "--on", small_set(folder), "--results", folder / "results")
    return folder / "results"


def means_of(results: Path, measure: str) -> dict[tuple[str, str], float]:
    rows = json.loads(
        within("export", "json", "--results", results, "--out", "-", "--measures", measure).stdout
    )
    return {(row["retriever"], row["task"]): row["value"] for row in rows if row["task"] != "*"}


def test_results_of_mteb(results: Path, tmp_path: Path) -> None:
    within(
        "export",
        "mteb",
        "bm25",
        tmp_path,
        "--results",
        results,
        "--task-name",
        "NanoTest/First=FirstRetrieval",
    )
    (folder,) = (tmp_path / "results" / "hakari__bm25").iterdir()
    assert sorted(p.name for p in folder.iterdir()) == [
        "FirstRetrieval.json",
        "Second.json",
        "model_meta.json",
    ]
    told = json.loads((folder / "FirstRetrieval.json").read_text(encoding="utf-8"))
    (scores,) = told["scores"]["test"]
    assert told["task_name"] == "FirstRetrieval"
    assert scores["hf_subset"] == "default"
    assert scores["languages"] == ["eng-Latn"]
    assert scores["main_score"] == scores["ndcg_at_10"]
    assert scores["ndcg_at_10"] == pytest.approx(
        means_of(results, "nDCG@10")["bm25", "NanoTest/First"], abs=1e-9
    )
    assert folder.name == json.loads((folder / "model_meta.json").read_text(encoding="utf-8"))["revision"]


@pytest.mark.peer
@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_mteb_reads_its_results(results: Path, tmp_path: Path) -> None:
    mteb = pytest.importorskip("mteb", reason="pip install 'hakari[peers]'")
    from mteb.cache import ResultCache
    from mteb.results import TaskResult

    within("export", "mteb", "--out", tmp_path, "--results", results)
    for path in (tmp_path / "results").rglob("*t.json"):
        read = TaskResult.from_disk(path, load_historic_data=False)
        assert read.get_score() == read.scores["test"][0]["ndcg_at_10"]
        assert read.languages == ["eng"]
    loaded = ResultCache(tmp_path).load_results(include_remote=False)
    assert isinstance(loaded, mteb.results.BenchmarkResults)
    found = {(m.model_name, t.task_name): t.get_score() for m in loaded.model_results for t in m.task_results}
    ours = means_of(results, "nDCG@10")
    assert found == {
        (
            f"hakari/{'bm25' if name == 'bm25' else 'bm25-code_k1=1.5'}",
            task.rpartition("/")[2],
        ): pytest.approx(value)
        for (name, task), value in ours.items()
    }


def test_model_cards(results: Path, tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="pip install 'hakari[hub]'")
    card = tmp_path / "README.md"
    named = ("--model-name", "my-org/my-model", "--measures", "nDCG@10,R@100")
    within("export", "model-index", "bm25", tmp_path, "--results", results, *named)
    data = hub.ModelCard.load(card).data
    assert data.model_name == "my-org/my-model"
    ours = means_of(results, "nDCG@10")
    values = {(r.dataset_name, r.metric_type): r.metric_value for r in data.eval_results}
    assert set(values) == {
        (f"NanoTest/{t}", m) for t in ("First", "Second") for m in ("ndcg_at_10", "recall_at_100")
    }
    assert values["NanoTest/First", "ndcg_at_10"] == pytest.approx(ours["bm25", "NanoTest/First"], abs=1e-6)
    card.write_text("---\nlicense: mit\nmodel-index: []\n---\n# My model\n\nKept.\n", encoding="utf-8")
    within("export", "model-index", "bm25", tmp_path, "--results", results, *named)
    again = hub.ModelCard.load(card)
    assert again.data.license == "mit"
    assert "Kept." in again.text
    assert len(again.data.eval_results) == 4


def test_eval_results(results: Path, tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="pip install 'hakari[hub]'")
    yaml = pytest.importorskip("yaml")
    without = within("export", "eval-results", "bm25", tmp_path, "--results", results, code=2)
    assert "hint: --hub-id NanoTest=ORG/NAME" in without.stderr
    within("export", "eval-results", tmp_path, "--results", results, "--hub-id", "NanoTest=my-org/NanoTest")
    (file,) = (tmp_path / "hakari__bm25" / ".eval_results").iterdir()
    assert file.name == "NanoTest.yaml"
    entries = hub.parse_eval_result_entries(yaml.safe_load(file.read_text(encoding="utf-8")))
    assert [(e.dataset_id, e.task_id) for e in entries] == [
        ("my-org/NanoTest", "First"),
        ("my-org/NanoTest", "Second"),
    ]
    assert entries[0].value == pytest.approx(means_of(results, "nDCG@10")["bm25", "NanoTest/First"], abs=1e-6)
    assert "nDCG@10; bm25, float" in entries[0].notes


def test_there_and_back(results: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    within("export", "mteb", tmp_path / "sub", "--results", results)
    within("import", "mteb", tmp_path / "sub" / "results", "--results", own)
    (imported,) = read_imported(own)
    assert (imported.kind, imported.mark) == ("mteb", "imported")
    ours = means_of(results, "nDCG@10")
    found = {
        f.task: f.value for f in imported.figures if f.system == "hakari/bm25" and f.measure == "nDCG@10"
    }
    assert found == {
        task: pytest.approx(value, abs=1e-9) for (name, task), value in ours.items() if name == "bm25"
    }
    rows = hakari_json("sql", "SELECT * FROM imported WHERE measure = 'nDCG@10'", "--results", own)
    assert {row["kind"] for row in rows} == {"mteb"}
    assert len(rows) == 4
    assert hakari_json("sql", "SELECT count(*) AS n FROM means", "--results", own) == [{"n": 0}]
    before = {p: p.read_bytes() for p in (own / "imported").iterdir()}
    within("import", "mteb", tmp_path / "sub" / "results", "--results", own)
    assert {p: p.read_bytes() for p in (own / "imported").iterdir()} == before


MTEB = {
    "dataset_revision": "abc",
    "task_name": "SciFact",
    "mteb_version": "2.26.0",
    "scores": {
        "test": [
            {
                "hf_subset": "default",
                "languages": ["eng-Latn"],
                "main_score": 0.7,
                "ndcg_at_10": 0.7,
                "nauc_ndcg_at_10_max": -0.2,
                "mrr_at_5": 0.6,
            }
        ],
        "dev": [{"hf_subset": "en", "languages": [], "main_score": 0.5, "map_at_100": 0.5}],
    },
}


def test_a_single_file_of_mteb(tmp_path: Path) -> None:
    file = tmp_path / "SciFact.json"
    file.write_text(json.dumps(MTEB), encoding="utf-8")
    assert "--system" in within("import", "mteb", file, "--results", tmp_path / "r", code=2).stderr
    within(
        "import",
        "mteb",
        file,
        "--results",
        tmp_path / "r",
        "--system",
        "org/m",
        "--task-name",
        "SciFact=NanoX/S",
    )
    (imported,) = read_imported(tmp_path / "r")
    assert {(f.task, f.measure, f.value, f.split) for f in imported.figures} == {
        ("NanoX/S", "nDCG@10", 0.7, "test"),
        ("NanoX/S", "RR@5", 0.6, "test"),
        ("NanoX/S:en", "AP@100", 0.5, "dev"),
    }


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("a.jsonl", '{"system": "m", "task": "NanoX/A", "nDCG@10": 0.5, "hit@10": 0.75}\n', ()),
        (
            "a.json",
            '[{"model": "m", "id": "NanoX/A", "ndcg_at_10": 0.5, "hit_rate_at_10": 0.75, "note": "x"}]',
            (),
        ),
        ("a.csv", "system,task,nDCG@10,hit@10\nm,NanoX/A,50,75\n", ("--percent",)),
        ("a.csv", "system,task,measure,value\nm,NanoX/A,nDCG@10,.5\nm,NanoX/A,hit@10,.75\n", ()),
    ],
)
def test_tables_of_published_figures(tmp_path: Path, name: str, text: str, options: tuple[str, ...]) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    within("import", "published", tmp_path / name, "--results", tmp_path / "r", *options)
    (imported,) = read_imported(tmp_path / "r")
    assert imported.mark == "published"
    assert [(f.system, f.task, f.measure, f.value) for f in imported.figures] == [
        ("m", "NanoX/A", "hit@10", 0.75),
        ("m", "NanoX/A", "nDCG@10", 0.5),
    ]


def test_profiles_as_published(tmp_path: Path) -> None:
    row: dict[str, Any] = {
        "id": "NanoX/A",
        "bm25": {"config": "bm25", "ndcg_at_10": 0.4, "recall_at_100": 0.9},
    }
    row["dense"] = {"config": "some_model", "ndcg_at_10": 0.6}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(row), encoding="utf-8")
    within("import", "published", tmp_path / "tasks.jsonl", "--results", tmp_path / "r")
    found = {(f.system, f.measure): f.value for f in read_imported(tmp_path / "r")[0].figures}
    assert found == {("bm25", "nDCG@10"): 0.4, ("bm25", "Rpool@100"): 0.9, ("some_model", "nDCG@10"): 0.6}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"system": "m", "task": "t", "nDCG@10": 43.1}', "add `--percent`"),
        ('{"system": "m", "task": "t", "nDCG@10": NaN}', "not a number from 0 to 1"),
        ('{"system": "m", "nDCG@10": 0.1}\n{"task": "t", "nDCG@10": 0.1}', "2 faults"),
        ('{"system": "m", "task": "t"}', "no measure"),
        (
            '{"system": "m", "task": "t", "nDCG@10": 0.1}\n{"system": "m", "task": "t", "nDCG@10": 0.2}',
            "there twice",
        ),
        ("{not json", "no JSON"),
        ("", "holds no figures"),
    ],
)
def test_what_cannot_be_taken_is_told(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "x.jsonl").write_text(text, encoding="utf-8")
    assert (
        told
        in within("import", "published", tmp_path / "x.jsonl", "--results", tmp_path / "r", code=2).stderr
    )
    assert not (tmp_path / "r").exists()


HUB = {"repository": "org/model", "commit": "c" * 40}


@pytest.mark.parametrize(
    ("retriever", "settings", "variant", "name", "revision"),
    [
        ("hf:org/model", HUB, "float", "org/model", HUB["commit"]),
        ("sparse:hf:org/model@v1", HUB, "float", "org/model", HUB["commit"]),
        ("model-small", HUB, "float", "org/model", HUB["commit"]),
        ("model-small(max_length=64)", HUB, "int8", "org/model-max_length=64-int8", HUB["commit"]),
        ("bm25", {}, "float", "hakari/bm25", "12345678"),
        ("rrf(bm25,model-small)", {}, "float", "hakari/rrf_bm25_model-small", "12345678"),
    ],
)
def test_a_model_of_a_hub_keeps_its_name_however_it_was_spelt(
    retriever: str, settings: dict[str, str], variant: str, name: str, revision: str
) -> None:
    path = Path("results/x-12345678/NanoX/Task.parquet")
    stored = Stored(path, {"retriever": retriever, "settings": settings, "task": "NanoX/Task"})
    assert named(stored, variant) == (name, revision)


def test_two_systems_cannot_have_one_name(results: Path, tmp_path: Path) -> None:
    done = within("export", "mteb", tmp_path, "--results", results, "--model-name", "a/b", code=2)
    assert "one model name is given for 2 systems" in done.stderr


@pytest.mark.parametrize("measure", ["nDCG@10", "AP@100", "R@5", "P@1", "RR@10", "hit@3"])
def test_names_of_measures_lead_back(measure: str) -> None:
    assert measure_of(mteb_key(measure)) == measure
    assert measure_of("nauc_" + mteb_key(measure)) is None


@pytest.mark.parametrize(
    "value",
    [
        {"a": [{"b": "no", "c": 1.5}, {"b": "2024-01-01", "d": {"e": "x: y # z"}}], "f": True},
        [
            {"t": 'quote " backslash \\ tab \t newline \n snowman ☃ 🙂 \x85 \u2028', "n": 0},
            {"key with space": "null"},
        ],
        {"empty": [], "text": ""},
    ],
)
def test_yaml_is_read_as_it_was_meant(value: Any) -> None:
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load(to_yaml(value)) == value
