"""Training data on a hub: the split that trains is audited, at the commit that the hub tells."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("huggingface_hub")
from hub_server import HubServer
from small import small_set

from hakari.audit.places import shards_of
from hakari.audit.run import Settings, audit
from hakari.errors import UnknownName, UsageError
from hakari.tasks.registry import load


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    with HubServer() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HAKARI_CACHE", str(tmp_path / "cache"))
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        yield server


def test_a_data_set_on_a_hub_is_audited(hub: HubServer, tmp_path: Path) -> None:
    nano = small_set(tmp_path)
    query = load(f"{nano}/First")[0].queries.texts[0]
    files = {
        "data/train.jsonl": json.dumps({"text": query}).encode() + b"\n",
        "data/test.jsonl": json.dumps({"text": "none"}).encode() + b"\n",
    }
    hub.commit("org/mine", files)
    report = audit(["hub:org/mine"], [f"{nano}/First"], settings=Settings(fresh=True))
    assert [one.shard.name for one in report.scanned] == ["org/mine/data/train.jsonl"]
    assert {(c.side, c.kind): c.matched for c in report.counts}["query", "exact"] == 1
    assert audit(["hub:org/mine@main/test"], [f"{nano}/First"]).risk == "none found"
    with pytest.raises(UnknownName, match="split"):
        shards_of(["hub:org/mine@main/tset"])
    with pytest.raises(UsageError, match="names no data set"):
        shards_of(["hub:mine"])
