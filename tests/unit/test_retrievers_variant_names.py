import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.errors import UsageError
from hakari.retrievers.variant_names import (
    CODES,
    EXAMPLES,
    FLOAT,
    Form,
    VariantName,
    parse_spec,
    parse_specs,
)
from hakari.retrievers.variant_specs import part_variants

forms = st.builds(Form, st.none() | st.integers(1, 4096), st.sampled_from(CODES))
plain = st.builds(VariantName, forms)
rescored = st.builds(VariantName, forms, forms, st.integers(1, 1000)).filter(
    lambda v: v.form != v.rescored_by
)


@given(st.one_of(plain, rescored))
@settings(derandomize=True, deadline=None)
def test_a_name_stands_for_the_variant_that_spells_it(variant: VariantName) -> None:
    assert parse_spec(str(variant)) == [variant]


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ("float", ["float"]),
        ("dim=256,128", ["dim=256", "dim=128"]),
        ("dim=256+float", ["dim=256"]),
        (" Dim=256 + INT8 ", ["dim=256+int8"]),
        ("int8,binary", ["int8", "binary"]),
        ("dim=0256,8+int8,float", ["dim=256+int8", "dim=256", "dim=8+int8", "dim=8"]),
        ("int8>float@100,200", ["int8>float@100", "int8>float@200"]),
        ("binary>int8,float@50", ["binary>int8@50", "binary>float@50"]),
        (
            "dim=64,32+binary>dim=256+int8@400",
            ["dim=64+binary>dim=256+int8@400", "dim=32+binary>dim=256+int8@400"],
        ),
    ],
)
def test_commas_span_a_grid(spec: str, names: list[str]) -> None:
    assert [str(variant) for variant in parse_spec(spec)] == names


def test_the_examples_that_errors_show_are_names_themselves() -> None:
    assert [str(parse_spec(name)[0]) for name in EXAMPLES] == list(EXAMPLES)


def test_float_comes_first_and_everything_once() -> None:
    assert parse_specs([]) == (FLOAT,)
    assert [str(v) for v in parse_specs(["int8,binary", "float", "int8"])] == ["float", "int8", "binary"]


@pytest.mark.parametrize(
    ("spec", "told", "hint"),
    [
        ("in8", "`in8` is not float", "did you mean `int8`"),
        ("binnary", "`binnary` is not float", "`binary`"),
        ("", "is not float", "variants look like"),
        ("dim=", "is not a whole number", "dim=256"),
        ("dim=0", "is not a whole number", "dim=256"),
        ("dim=-3", "is not a whole number", "dim=256"),
        ("dim=256+", "is not float", "variants look like"),
        ("int8+dim=256", "cannot be followed by `+`", "dim=256+int8"),
        ("int8,dim=256", "stands behind something else", "--variants int8 --variants dim=256"),
        ("dim=256+dim=128", "stands behind something else", "--variants dim=256 --variants dim=128"),
        ("int8>float", "how many documents", "int8>float@100"),
        ("int8>float@", "is not a whole number", "int8>float@100"),
        ("int8>float@0", "is not a whole number", "int8>float@100"),
        ("binary>int8@400>float@100", "rescores twice", "--variants"),
        ("int8>int8@10", "rescored by what found it", "`int8`"),
        ("float>float@10", "rescored by what found it", "`float`"),
    ],
)
def test_what_is_no_variant_is_said_with_a_hint(spec: str, told: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_spec(spec)
    assert told in error.value.message
    assert hint in str(error.value.hint)


def test_variants_may_follow_a_retriever() -> None:
    assert part_variants("bge_small_en int8") == ("bge_small_en", ["int8"])
    assert part_variants("bge_small_en dim=256+float,int8") == ("bge_small_en", ["dim=256", "dim=256+int8"])
    assert part_variants("bm25(k1=0.9, b=0.4) int8>float@100") == ("bm25(k1=0.9, b=0.4)", ["int8>float@100"])
    for name in ("bge_small_en", "int8", "bm25(k1=0.9, b=0.4)", "onnx:a folder"):
        assert part_variants(name) == (name, [])
