"""The scan of an audit as tasks of a Ray cluster, one a shard; the same report as in one process.

`RAY_ADDRESS` names a cluster; without it one is started on this machine. Every node must see the shards under the
same paths. A task whose worker dies is run again, and goes on where finished pieces are kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from hakari.audit.index import Index
from hakari.audit.scan import Plan, Scanned, core_count, scan_shard
from hakari.audit.shards import Shard
from hakari.errors import Fault, InvalidInput, MissingPrerequisite, install_hint

RETRIES = 3
Work = Callable[[Index, Shard, Plan], Scanned]


def scan_on_ray(index: Index, shards: Sequence[Shard], plan: Plan, work: Work = scan_shard) -> list[Scanned]:
    """Scan all shards on a cluster; the results come in the order of the shards."""
    if find_spec("ray") is None:
        raise MissingPrerequisite("`--engine ray` needs Ray", install_hint("ray"))
    import ray

    mine = not ray.is_initialized()
    if mine:
        _start(ray)
    try:
        remote = ray.remote(_scan).options(num_cpus=1, max_retries=RETRIES)
        shared = ray.put(index)
        quiet = Plan(plan.given, plan.skip_corrupt, plan.fresh, threads=1)
        waiting = {remote.remote(work, shared, shard, quiet): place for place, shard in enumerate(shards)}
        found: dict[int, Scanned] = {}
        faults: dict[int, list[Fault]] = {}
        pending = list(waiting)
        while pending:
            done, pending = ray.wait(pending, num_returns=1)
            scanned, wrong = ray.get(done[0])
            place = waiting[done[0]]
            faults[place] = wrong
            if scanned is not None:
                found[place] = replace(scanned, shard=shards[place])
                plan.progress(scanned.rows, scanned.bytes)
    finally:
        if mine:
            ray.shutdown()
    told = [fault for place in sorted(faults) for fault in faults[place]]
    if told:
        raise InvalidInput("the training data", told)
    return [found[place] for place in sorted(found)]


def _start(ray: Any) -> None:
    address = os.environ.get("RAY_ADDRESS")
    settings = {name: value for name, value in os.environ.items() if name.startswith("HAKARI_")}
    local: dict[str, Any] = {} if address else {"num_cpus": core_count(), "include_dashboard": False}
    ray.init(
        address=address,
        log_to_driver=False,
        logging_level="ERROR",
        runtime_env={"env_vars": settings},
        **local,
    )


def _scan(work: Work, index: Index, shard: Shard, plan: Plan) -> tuple[Scanned | None, list[Fault]]:
    """One shard; faults come back as values, for an error would lose what it holds on its way."""
    try:
        return work(index, shard, plan), []
    except InvalidInput as error:
        return None, list(error.faults)
