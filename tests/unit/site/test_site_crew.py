"""Work shared by processes: in order, whole when a helper is lost, and with the bytes of one process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from board_site import make_results
from small import small_set

from hakari.errors import UsageError
from hakari.site import build
from hakari.site.crew import Crew
from hakari.site.reading import read
from hakari.tasks.registry import resolve


def double(number: int) -> tuple[int, int]:
    time.sleep(0.002)
    print("what is printed does not come between")
    return 2 * number, os.getpid()


def dies_elsewhere(here: int, number: int) -> int:
    if os.getpid() != here and number == 5:
        os._exit(1)
    return number


def not_to_be_sent(here: int, number: int) -> object:
    return number if os.getpid() == here else (lambda: number)


def fails(number: int) -> int:
    if number == 7:
        raise UsageError("seven", "choose another")
    return number


def slow(number: int) -> int:
    time.sleep(0.05)
    return os.getpid()


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_order_and_from_every_process(processes: int):
    with Crew(processes) as crew:
        made = list(crew.each(double, range(300)))
        assert [value for value, _ in made] == [2 * n for n in range(300)]
        assert len({pid for _, pid in made}) == processes
        again = list(crew.each(double, ["a", "b"]))
    assert [value for value, _ in again] == ["aa", "bb"]


def test_helpers_begin_before_a_result_is_asked_for():
    with Crew(2) as crew:
        coming = crew.each(slow, range(3))
        time.sleep(1.5)
        assert os.getpid() not in set(coming)


@pytest.mark.parametrize("work", [dies_elsewhere, not_to_be_sent])
def test_what_a_lost_helper_had_is_made_here(work):
    with Crew(3) as crew:
        assert list(crew.each(partial(work, os.getpid()), range(40))) == list(range(40))
        assert list(crew.each(fails, range(3))) == [0, 1, 2]


def test_large_items_and_large_results_do_not_wait_for_each_other():
    with Crew(2) as crew:
        items = [bytes([n]) * 3_000_000 for n in range(6)]
        assert list(crew.each(bytes.upper, items)) == [item.upper() for item in items]


def test_the_first_failure_in_order_is_the_one_that_is_told():
    with Crew(2) as crew:
        coming = crew.each(fails, range(20))
        with pytest.raises(UsageError, match="seven"):
            list(coming)
        assert list(crew.each(fails, range(4))) == [0, 1, 2, 3]


def test_work_that_cannot_be_sent_is_done_here():
    seen = []
    with Crew(2) as crew:
        assert list(crew.each(lambda n: seen.append(n) or n, range(5))) == list(range(5))
    assert seen == list(range(5))


def test_a_site_has_the_same_bytes_from_one_process_and_from_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    tasks = make_results(tmp_path)
    for processes in (1, 2, 3):
        monkeypatch.setattr(build, "_processes", lambda reading, processes=processes: processes)
        reading = read(resolve(str(tasks)), tmp_path / "results")
        build.build(build.site_of(reading), tmp_path / f"site-{processes}")
    manifests = [(tmp_path / f"site-{n}" / "manifest.json").read_bytes() for n in (1, 2, 3)]
    assert manifests[0] == manifests[1] == manifests[2]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc to find the helpers")
def test_a_build_that_is_killed_leaves_the_old_site_and_no_helper(tmp_path: Path):
    tasks = small_set(tmp_path, tuple(f"Task{n:02d}" for n in range(24)))
    out = tmp_path / "site"
    out.mkdir()
    (out / "manifest.json").write_text('{"made_by": "hakari 0"}', encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "hakari",
        "site",
        "--on",
        str(tasks),
        "--results",
        str(tmp_path),
        "--out",
        str(out),
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    building = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    while not list(tmp_path.glob(".site.*.tmp/tasks/*/*.html")):
        assert building.poll() is None
        time.sleep(0.01)
    helpers = Path(f"/proc/{building.pid}/task/{building.pid}/children").read_text().split()
    building.send_signal(signal.SIGKILL)
    building.wait()
    assert [p.name for p in out.iterdir()] == ["manifest.json"]
    end = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in helpers):
        assert time.monotonic() < end
        time.sleep(0.05)
    subprocess.run(command, env=environment, check=True, stderr=subprocess.DEVNULL)
    assert (out / "index.html").is_file()
    assert not list(tmp_path.glob(".site.*"))
