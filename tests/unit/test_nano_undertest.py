from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from hakari.nano.code import build_code
from hakari.nano.definitions import Harvest
from hakari.nano.harvest import harvest
from hakari.nano.shapes import Limits
from hakari.nano.sources import find_sources
from hakari.nano.undertest import masked, test_pairs, with_tests, words_of

test_pairs.__test__ = False  # type: ignore[attr-defined]

SHOP = '''
class Till:
    def take_out(self, sum, reason=None):
        """Take money out of the till."""
        if sum > self.total:
            raise ValueError("there is not as much money in the till")
        self.total -= sum
        return self.total

def count_money(coins, *, strict=True):
    """Count the money in some coins."""
    total = 0
    for coin in coins:
        total += coin.value if strict else abs(coin.value)
    return total

def total(values):
    """Add up the values of anything that has some."""
    found = [value for value in values if value is not None]
    return sum(found) if found else 0

def never_tested(values):
    """Do something that no test asks for."""
    kept = [value for value in values if value is not None]
    return sorted(kept, key=lambda value: (value.name, value.place))
'''
TESTS = """
import shop
from shop import money as m
from shop.money import count_money as counted, total

def test_count_money_is_strict():
    coins = [Coin(1), Coin(-2)]
    assert counted(coins) == -1 and counted(coins, strict=False) == 3
    assert total([1, 2]) == 3, "count_money and total"

def test_nothing_is_there():
    assert m.total([None, None]) == 0
    assert m.total([]) == 0, "an empty list gives nothing at all to add up"

def test_both():
    assert counted([]) == total([]), "and this is long enough to be worth asking"

class TestTill:
    def test_a_till_is_emptied(self):
        till = shop.Till()
        till.total = 10
        assert till.take_out(4) == 6 and till.take_out(6) == 0

def test_elsewhere():
    assert os.path.join("a", "b")

def helper():
    return counted([])
"""


def python(folder: Path) -> Harvest:
    for name, text in {
        "shop/__init__.py": "from .money import Till",
        "shop/money.py": SHOP,
        "tests/test_shop.py": TESTS,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    sources = find_sources(folder)
    return with_tests(sources, harvest(sources))


def test_a_test_leads_to_the_function_that_it_is_about(tmp_path: Path) -> None:
    found = python(tmp_path)
    assert {test.name: test.target for test in found.tested} == {
        "test_shop.TestTill.test_a_till_is_emptied": "shop.money.Till.take_out",
        "test_shop.test_count_money_is_strict": "shop.money.count_money",
        "test_shop.test_nothing_is_there": "shop.money.total",
    }
    assert found.tests is not None
    assert (found.tests.seen, found.tests.kept) == (5, 3)
    assert found.tests.left_out == {"calls no function of the source": 1, "calls several functions": 1}


def test_the_name_is_nowhere_in_the_query_and_helpers_are_no_wrong_answers(tmp_path: Path) -> None:
    found = python(tmp_path)
    pairs, others, _ = test_pairs(found, Limits())
    for pair in pairs:
        assert "count_money" not in pair.query
        assert "take_out" not in pair.query
    assert list(others) == ["shop.money.never_tested"]
    drafts = {draft.split: draft for draft in build_code(found, "NanoShop")}
    draft = drafts["TestToFunction"]
    assert sorted(draft.corpus) == [
        "shop.money.Till.take_out",
        "shop.money.count_money",
        "shop.money.never_tested",
        "shop.money.total",
    ]
    assert all(name.startswith("q") and len(name) == 17 for name in draft.queries)
    assert (draft.shape, draft.category) == ("code-to-code", "code")
    assert [stage.name for stage in draft.stages] == [
        "files",
        "definitions",
        "tests",
        "pairs",
        "queries",
        "documents",
    ]
    for stage in draft.stages:
        assert stage.seen == stage.kept + sum(stage.left_out.values())


def test_no_more_than_three_tests_ask_for_one_function(tmp_path: Path) -> None:
    (tmp_path / "money.py").write_text(SHOP)
    lines = ["from money import total"]
    lines += [f"def test_{i}():\n    assert total([{i}]) == {i}\n" for i in range(9)]
    (tmp_path / "test_money.py").write_text("\n".join(lines))
    sources = find_sources(tmp_path)
    found = with_tests(sources, harvest(sources))
    assert len(found.tested) == 3
    assert found.tests is not None
    assert found.tests.left_out == {"more than three tests of one function": 6}


def test_without_tests_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "money.py").write_text(SHOP)
    sources = find_sources(tmp_path)
    found = harvest(sources)
    assert with_tests(sources, found) is found


GO = """
package till
// Count adds up what is in the till.
func Count(coins []int) int {
\ttotal := 0
\tfor _, coinInTheTill := range coins {
\t\ttotal += coinInTheTill
\t}
\treturn total
}
"""
GO_TEST = """
package till
func TestCountOfNothing(t *testing.T) {
\tif Count(nil) != 0 || Count([]int{}) != 0 {
\t\tt.Fatal("nothing should count as nothing, and does not")
\t}
}
func TestOther(t *testing.T) { other() }
"""
JAVA = """
package shop;
class Till {
  int take(int sum) { if (sum > total) { throw new Error(); } total -= sum; return total; }
  int give(int sum) { return total + sum; }
}
"""
JAVA_TEST = """
package shop;
class TillTest {
  @Test void taking() { assertEquals(6, new Till(10).take(4)); assertEquals(0, new Till(4).take(4)); }
  @Test void both() { new Till(10).take(4); new Till(10).give(4); }
}
"""


def test_go_and_java_look_beside_the_test(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter")
    for name, text in {
        "till/till.go": GO,
        "till/till_test.go": GO_TEST,
        "src/main/java/shop/Till.java": JAVA,
        "src/test/java/shop/TillTest.java": JAVA_TEST,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(dedent(text).lstrip())
    sources = find_sources(tmp_path)
    found = with_tests(sources, harvest(sources))
    assert {test.name: test.target for test in found.tested} == {
        "till.TestCountOfNothing": "till.Count",
        "shop.TillTest.taking": "shop.Till.take",
    }
    (pair, *_) = [pair for pair in test_pairs(found, Limits())[0] if pair.answer == "till.Count"]
    assert pair.query.startswith("func Test___OfNothing(t *testing.T)")


@pytest.mark.parametrize(
    ("code", "name", "expected"),
    [
        ("test_read_file(read_file(x))", "read_file", "test____(___(x))"),
        ("class TestReadFile: readFile", "read_file", "class Test___: ___"),
        ("def test_add(): add(1); address", "add", "def test____(): ___(1); address"),
        ("x.sum(y) + sum_of + SUM", "sum", "x.___(y) + ____of + ___"),
    ],
)
def test_names_are_masked_in_other_names(code: str, name: str, expected: str) -> None:
    assert masked(code, name) == expected


def test_words_are_the_same_in_any_case_of_names() -> None:
    assert words_of("readHTTPFile2") == words_of("read_http_file_2") == ["read", "http", "file", "2"]


TYPESCRIPT = """
export function addMoney(one: number, other: number): number {
  const sum = one + other;
  if (sum > 100) { throw new Error("too much money"); }
  return sum;
}
export const half = (sum: number) => {
  const halved = sum / 2;
  return Math.round(halved * 100) / 100 + NOTHING_AT_ALL_TO_ADD;
};
"""
TYPESCRIPT_TEST = """
import { addMoney, half as halved } from "../src/money";
describe("money", () => {
  it("is added by addMoney", () => {
    const sum = addMoney(1, 2);
    expect(sum).toBe(3);
    expect(halved(sum)).toBe(addMoney(1, 0.5));
  });
  test("halves", async () => {
    expect(halved(10)).toBe(5);
    expect(halved(0)).toBe(0);
  });
  it("does something else", () => { expect(elsewhere(1)).toBe(1); });
});
"""
RUST = """
/// Adds money.
pub fn add_money(one: u32, other: u32) -> u32 {
    let sum_of_both = one + other;
    assert!(sum_of_both < 1_000, "too much money for this till");
    sum_of_both
}
#[cfg(test)]
mod tests {
    use super::*;
    fn helper() -> u32 { add_money(1, 1) }
    #[test]
    fn money_is_added() {
        assert_eq!(add_money(1, 2), 3);
        assert_eq!(add_money(0, 0), 0, "nothing and nothing is nothing");
    }
}
"""


def test_scripts_and_rust(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter")
    for name, text in {
        "src/money.ts": TYPESCRIPT,
        "test/money.spec.ts": TYPESCRIPT_TEST,
        "src/till.rs": RUST,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    sources = find_sources(tmp_path)
    found = with_tests(sources, harvest(sources))
    assert {test.name: test.target for test in found.tested} == {
        "test.money.case-1": "money.addMoney",
        "test.money.case-2": "money.half",
        "till.tests.money_is_added": "till.add_money",
    }
    assert found.tests is not None
    assert found.tests.left_out == {"calls no function of the source": 1}
    queries = {pair.name: pair.query for pair in test_pairs(found, Limits())[0]}
    assert queries["test.money.case-1"].startswith('it("is added by ___", () => {\n  const sum = ___(1, 2);')
    assert queries["till.tests.money_is_added"].startswith(
        "#[test]\nfn money_is_added() {\n    assert_eq!(___(1"
    )


def test_the_same_bytes_under_every_hash_seed(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter")
    source = tmp_path / "source"
    python(source)
    for name, text in {
        "web/money.ts": TYPESCRIPT,
        "web/test/money.spec.ts": TYPESCRIPT_TEST.replace("../src", ".."),
        "core/till.rs": RUST,
        "shop/Till.java": JAVA,
        "shop/TillTest.java": JAVA_TEST,
    }.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    told = []
    for seed in ("1", "2"):
        out = tmp_path / seed / "NanoMixed"
        command = ["build", "code", str(source), "--name", "NanoMixed", "--out", str(out)]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run(
            [sys.executable, "-m", "hakari", *command], env=environment, check=True, capture_output=True
        )
        told.append({p.relative_to(out): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()})
    assert told[0] == told[1]
    assert Path("corpus/TestToFunction.parquet") in told[0]
