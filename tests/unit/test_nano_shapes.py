from __future__ import annotations

from pathlib import Path

import pytest

from hakari.nano.harvest import harvest
from hakari.nano.shapes import SHAPES, Limits, Pair, make_pairs, mask_name, split_summary
from hakari.nano.sources import find_sources

SOURCE = '''
class Shop:
    """A place that sells things to people.

    It keeps a stock of items, each with a price, and a till that remembers every sale until it is
    emptied; see Shop.sell and shops.Shop for more.
    """

    def __init__(self, stock, till=None):
        self.stock = stock

    def sell(self, item, count=1, *, discount=0.0):
        """Sell some of an item and return the price paid.

        The number of items in stock goes down by `count`. Raises KeyError when the item is
        unknown. To sell twice, call shop.sell() or self.sell again; a resell is something else.
        """
        # look it up first
        price = self.stock[item].price
        self.stock[item].left -= count
        if self.stock[item].left < 0:
            raise ValueError("not enough of it left")
        # then the money
        paid = price * count * (1 - discount)
        self.till.append((item, count, paid))
        return paid

    def short(self):
        """Return the stock of this shop."""
        return self.stock

    def _private(self, words):
        """Count the words in a list of them.

        This text goes on for long enough that it would make a good reference entry, were it public.
        """
        counts = {}
        for word in words:
            counts[word] = counts.get(word, 0) + 1
        # Count the words in a list of them.
        return counts
'''


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Pair]]:
    folder = tmp_path_factory.mktemp("source")
    (folder / "shops.py").write_text(SOURCE)
    definitions = harvest(find_sources(folder)).definitions
    return {
        shape.task: {pair.name: pair for pair in make_pairs(definitions, shape, Limits())[0]}
        for shape in SHAPES
    }


def test_docstring_to_function(made: dict[str, dict[str, Pair]]) -> None:
    pairs = made["DocstringToFunction"]
    # `short` is trivial, and the summary of `_private` stands in a comment of its own code.
    assert list(pairs) == ["shops.Shop.sell"]
    assert pairs["shops.Shop.sell"].query == "Sell some of an item and return the price paid."
    code = pairs["shops.Shop.sell"].document
    assert code.startswith(
        "def sell(self, item, count=1, *, discount=0.0):\n    # look it up first\n    price ="
    )
    assert code.endswith("\n    return paid")
    assert '"""' not in code


def test_function_to_docstring(made: dict[str, dict[str, Pair]]) -> None:
    pairs = made["FunctionToDocstring"]
    assert list(pairs) == ["shops.Shop._private", "shops.Shop.sell"]
    assert pairs["shops.Shop.sell"].query == made["DocstringToFunction"]["shops.Shop.sell"].document
    assert pairs["shops.Shop.sell"].document.startswith(
        "Sell some of an item and return the price paid.\n\nThe"
    )


def test_function_completion_breaks_at_a_statement_near_the_middle(made: dict[str, dict[str, Pair]]) -> None:
    pairs = made["FunctionCompletion"]
    assert list(pairs) == ["shops.Shop.sell"]
    assert pairs["shops.Shop.sell"].query.endswith("\n    self.stock[item].left -= count")
    assert pairs["shops.Shop.sell"].document == (
        "if self.stock[item].left < 0:\n"
        '    raise ValueError("not enough of it left")\n'
        "# then the money\n"
        "paid = price * count * (1 - discount)\n"
        "self.till.append((item, count, paid))\n"
        "return paid"
    )


def test_api_reference_hides_its_own_name_and_has_no_summary(made: dict[str, dict[str, Pair]]) -> None:
    pairs = made["ApiReference"]
    assert list(pairs) == ["shops.Shop", "shops.Shop.sell"]
    assert pairs["shops.Shop"].query == "shops.Shop: A place that sells things to people."
    assert pairs["shops.Shop"].document == (
        "___(stock, till=None)\n\n"
        "It keeps a stock of items, each with a price, and a till that remembers every sale until it is\n"
        "emptied; see Shop.sell and ___ for more."
    ).replace("Shop.sell", "___.sell")
    assert pairs["shops.Shop.sell"].document == (
        "___(item, count=1, *, discount=0.0)\n\n"
        "The number of items in stock goes down by `count`. Raises KeyError when the item is\n"
        "unknown. To ___ twice, call ___() or ___ again; a resell is something else."
    )


def test_the_account_is_complete(tmp_path: Path) -> None:
    (tmp_path / "shops.py").write_text(SOURCE)
    definitions = harvest(find_sources(tmp_path)).definitions
    for shape in SHAPES:
        pairs, stage = make_pairs(definitions, shape, Limits())
        assert stage.seen == len(definitions) == len(pairs) + sum(stage.left_out.values())
        assert stage.kept == len(pairs)
    assert make_pairs(definitions, SHAPES[0], Limits())[1].left_out == {
        "not a function": 1,
        "query stands in its document": 1,
        "trivial function": 2,
    }


def test_long_functions_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "shops.py").write_text(SOURCE)
    definitions = harvest(find_sources(tmp_path)).definitions
    pairs, stage = make_pairs(definitions, SHAPES[0], Limits(max_lines=5))
    assert not pairs
    assert stage.left_out["function too long"] == 2
    assert (
        make_pairs(definitions, SHAPES[0], Limits(max_characters=100))[1].left_out["function too long"] == 2
    )


@pytest.mark.parametrize(
    ("docstring", "summary", "rest"),
    [
        ("One sentence only", "One sentence only", ""),
        ("First one. Second one.\nThird.", "First one.", "Second one.\nThird."),
        ("Broken over\n  two lines.\n\nMore.", "Broken over two lines.", "More."),
        ("Use it, e.g. Here, i.e. There. Done.", "Use it, e.g. Here, i.e. There.", "Done."),
        ("Version 3.11 of os.path. Next.", "Version 3.11 of os.path.", "Next."),
        ("No end\n \nBut a paragraph. And so on.", "No end", "But a paragraph. And so on."),
        ("", "", ""),
    ],
)
def test_the_summary_is_the_first_sentence(docstring: str, summary: str, rest: str) -> None:
    assert split_summary(docstring) == (summary, rest)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("json.dumps(x)", "___(x)"),
        ("undumps dumps_all dumps2", "undumps dumps_all dumps2"),
        ("Dumps, DUMPS; `dumps`.", "___, ___; `___`."),
        ("make().dumps() and a.b.dumps.c", "make().___() and ___.c"),
    ],
)
def test_a_name_is_masked_as_a_whole_word_with_its_path(text: str, masked: str) -> None:
    assert mask_name(text, "dumps") == masked
