from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from hakari.nano.definitions import Definition, Harvest
from hakari.nano.harvest import harvest
from hakari.nano.sources import find_sources

pytest.importorskip("tree_sitter")


def read(folder: Path, **files: str) -> Harvest:
    for name, source in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(source).lstrip("\n"), encoding="utf-8")
    return harvest(find_sources(folder))


def told(found: Harvest) -> list[tuple[str, str, str, bool, str]]:
    return [(d.name, d.path, d.kind, d.private, d.docstring) for d in found.definitions]


def by_name(found: Harvest) -> dict[str, Definition]:
    return {definition.name: definition for definition in found.definitions}


JAVASCRIPT = """
/** Adds. */
export async function add(a, b = 1) {
  // carry
  const sum = a + b;

  return sum;
}

/**
 * Halves a number.
 * @param {number} x what to halve
 */
const half = (x) => {
  return x / 2;
};

/** Not about anything. */

const x = 1; // nor this
exports.third = function (x) { return x / 3; };
Tree.prototype.grow = function grow() { this.height++; };
module.exports = { /** Shrinks. */ shrink: function () { return 0; }, wait() { return 1; } };
class Leaf extends Tree {
  /** Falls down. */
  fall(from) { return from; }
  #secret() { return 2; }
  handle = (event) => { return event; };
}
(function (root) {
  /** Within a wrapper. */
  function within() { return root; }
})(this);
"""


def test_javascript_in_all_its_ways_to_define(tmp_path: Path) -> None:
    found = read(tmp_path, lib__math_dot_js=JAVASCRIPT)
    assert told(found) == [
        ("math.Leaf", "math.Leaf", "class", False, ""),
        ("math.Leaf.fall", "math.Leaf.fall", "method", False, "Falls down."),
        ("math.Leaf.handle", "math.Leaf.handle", "method", False, ""),
        ("math.Leaf.secret", "math.Leaf.secret", "method", True, ""),
        ("math.Tree.grow", "math.Tree.grow", "function", False, ""),
        ("math.add", "math.add", "function", False, "Adds."),
        ("math.half", "math.half", "function", False, "Halves a number.\n\n@param {number} x what to halve"),
        ("math.shrink", "math.shrink", "function", False, "Shrinks."),
        ("math.third", "math.third", "function", False, ""),
        ("math.wait", "math.wait", "method", False, ""),
        ("math.within", "math.within", "function", False, "Within a wrapper."),
    ]
    add = by_name(found)["math.add"]
    assert add.code == (
        "export async function add(a, b = 1) {\n  // carry\n  const sum = a + b;\n\n  return sum;\n}"
    )
    assert (add.header, add.statements, add.statement_lines) == ("async function add(a, b = 1)", 2, (2, 4))
    assert by_name(found)["math.half"].code == "const half = (x) => {\n  return x / 2;\n};"
    assert by_name(found)["math.within"].code == "function within() { return root; }"


def test_typescript_unites_overloads_with_their_body(tmp_path: Path) -> None:
    source = """
        /** Reads a file, or several. */
        export function read(path: string): string;
        export function read(paths: string[]): string[];
        export function read(a: any): any {
          return a;
        }
        /** What can be read. */
        export interface Readable<T> {
          /** Reads the next one. */
          next(): T;
          close(): void;
        }
        namespace inner {
          export abstract class A { private hidden(): number { return 1; } }
        }
    """
    found = read(
        tmp_path, src__files_dot_ts=source, src__view_dot_tsx="const V = () => { return <a>x</a>; };"
    )
    assert told(found) == [
        ("files.Readable", "files.Readable", "class", False, "What can be read."),
        ("files.Readable.next", "files.Readable.next", "method", False, "Reads the next one."),
        ("files.inner.A", "files.inner.A", "class", False, ""),
        ("files.inner.A.hidden", "files.inner.A.hidden", "method", True, ""),
        ("files.read", "files.read", "function", False, "Reads a file, or several."),
        ("view.V", "view.V", "function", False, ""),
    ]
    assert by_name(found)["files.Readable"].header == "interface Readable<T>"
    assert found.stages[1].left_out == {"declarations without a body": 3}


def test_java_goes_by_its_package_and_javadoc_loses_its_marks(tmp_path: Path) -> None:
    source = """
        package org.shop;
        /** A till. */
        public class Till<T> {
            /**
             * Takes {@code money} out, see {@link Money#take}.
             * <p>Never more than there <b>is</b> &amp; was.</p>
             *
             * @param sum how much
             */
            @Override
            public int take(int sum) throws Empty {
                int left = this.sum - sum;
                return left;
            }
            private void shut() { }
            static class Drawer { Drawer() { super(); } }
        }
        interface Open { /** Opens it. */ void open(); }
    """
    found = read(tmp_path, src__main__java__org__shop__Till_dot_java=source)
    assert [name for name, *_ in told(found)] == [
        "org.shop.Open",
        "org.shop.Open.open",
        "org.shop.Till",
        "org.shop.Till.Drawer",
        "org.shop.Till.Drawer.Drawer",
        "org.shop.Till.shut",
        "org.shop.Till.take",
    ]
    take = by_name(found)["org.shop.Till.take"]
    assert take.docstring == (
        "Takes money out, see Money#take.\n\nNever more than there is & was.\n\n@param sum how much"
    )
    assert take.header == "public int take(int sum) throws Empty"
    assert take.code.startswith("@Override\npublic int take(int sum) throws Empty {\n    int left")
    assert by_name(found)["org.shop.Till.shut"].private


def test_go_goes_by_its_package_and_comments_lose_the_name(tmp_path: Path) -> None:
    source = """
        // Copyright of somebody.

        package shop

        // Take takes money
        // out of the till.
        //
        //go:noinline
        func (t *Till[T]) Take(sum int) int {
        \tx := t.sum - sum
        \treturn x
        }

        // about nothing

        func shut() {}

        type (
        \t// Till is a drawer for money.
        \tTill struct{ sum int }
        \tOther interface{}
        )
    """
    found = read(tmp_path, pkg__till__till_dot_go=source)
    assert told(found) == [
        ("pkg.till.Other", "shop.Other", "class", False, ""),
        ("pkg.till.Till", "shop.Till", "class", False, "Is a drawer for money."),
        ("pkg.till.Till.Take", "shop.Till.Take", "method", False, "Takes money\nout of the till."),
        ("pkg.till.shut", "shop.shut", "function", True, ""),
    ]
    assert by_name(found)["pkg.till.Till.Take"].statements == 2


def test_rust_attributes_belong_to_functions_and_test_modules_do_not(tmp_path: Path) -> None:
    source = """
        //! About the crate.
        /// Takes money out.
        ///
        /// Slowly.
        // a remark
        #[inline]
        pub fn take(sum: u32) -> u32 {
            let x = sum;
            x
        }
        impl<T: Money> Drawer for Till<T> {
            fn open(&self) -> bool { true }
        }
        impl Till<u8> { fn hidden(&self) {} }
        pub trait Drawer { /// Opens.
            fn open(&self) -> bool; }
        #[cfg(test)]
        mod tests { #[test] fn takes() { assert!(true); } }
    """
    found = read(tmp_path, src__till_dot_rs=source)
    assert told(found) == [
        ("till.Drawer", "till::Drawer", "class", False, ""),
        ("till.Drawer.open", "till::Drawer::open", "method", False, "Opens."),
        ("till.Till.hidden", "till::Till::hidden", "method", True, ""),
        ("till.Till.open", "till::Till::open", "method", False, ""),
        ("till.take", "till::take", "function", False, "Takes money out.\n\nSlowly."),
    ]
    assert by_name(found)["till.take"].code.startswith("#[inline]\npub fn take")
    assert found.stages[1].left_out == {"tests": 1}


def test_a_header_documents_what_a_file_of_c_defines(tmp_path: Path) -> None:
    header = """
        #ifndef TILL_H
        /**
         * @brief Takes money out of \\c till.
         * @param sum how much
         */
        int till_take(struct till *till, int sum);
        /* Only declared. */
        int till_elsewhere(void);
        #endif
    """
    source = """
        /* Copyright: this is the licence. */
        static int *hidden(int x)
        {
          return &x;
        }
        int till_take(struct till *till, int sum)
        {
          /* subtract */
          till->sum -= sum;
          return till->sum;
        }
    """
    found = read(tmp_path, till_dot_h=header, till_dot_c=source)
    assert told(found) == [
        ("till.hidden", "hidden", "function", True, ""),
        ("till.till_elsewhere", "till_elsewhere", "function", False, "Only declared."),
        ("till.till_take", "till_take", "function", False, "Takes money out of till.\n\n@param sum how much"),
    ]
    assert by_name(found)["till.till_take"].statement_lines == (3, 4)


def test_cpp_writes_its_paths_with_colons(tmp_path: Path) -> None:
    source = """
        namespace shop { namespace {
        /// A till.
        class Till : public Box {
         public:
          /// Opens it.
          bool open() const { return true; }
          bool operator==(const Till& o) const { return true; }
          ~Till() {}
        };
        } }
        /// Takes money out.
        template <typename T> T shop::Drawer<T>::take(T sum) const { auto x = sum; return x; }
    """
    found = read(tmp_path, till_dot_cpp=source)
    assert told(found) == [
        ("till.shop.Drawer.take", "shop::Drawer::take", "function", False, "Takes money out."),
        ("till.shop.Till", "shop::Till", "class", False, "A till."),
        ("till.shop.Till.open", "shop::Till::open", "method", False, "Opens it."),
        ("till.shop.Till.operator==", "shop::Till::operator==", "method", False, ""),
        ("till.shop.Till.~Till", "shop::Till::~Till", "method", False, ""),
    ]


def test_strings_of_several_lines_keep_their_indentation(tmp_path: Path) -> None:
    source = """
        class A {
          m() {
            const text = `one
              two`;
            return text;
          }
        }
    """
    found = read(tmp_path, a_dot_js=source)
    assert by_name(found)["a.A.m"].code == ("m() {\n  const text = `one\n      two`;\n  return text;\n}")


def test_minified_and_broken_sources_are_counted(tmp_path: Path) -> None:
    (tmp_path / "bytes.js").write_bytes(b"function a() {}\0")
    found = read(
        tmp_path,
        long_dot_js="function a(){return 1};" * 200,
        app_dot_min_dot_js="x()",
        dist__app_dot_js="x()",
        made_dot_go="// Code generated by protoc. DO NOT EDIT.\npackage x\n",
        broken_dot_c="int f(void) { MACRO(x { return 1; }\nint g(void) { return 1; }\n",
        latin_dot_c="",
    )
    assert found.stages[0].left_out == {"generated": 3, "minified": 1, "unreadable": 1}
    assert found.stages[1].left_out["syntax not understood"] >= 1


@pytest.mark.parametrize("ending", ["js", "ts", "tsx", "java", "go", "rs", "c", "h", "cpp"])
def test_nonsense_is_no_crash(ending: str, tmp_path: Path) -> None:
    for number, text in enumerate(
        ["", "}}}{{{(((", "class", "@", "func (", "/** */", "fn f<'a", "é ü \ufeff" * 9]
    ):
        (tmp_path / f"f{number}.{ending}").write_text(text, encoding="utf-8")
    (tmp_path / f"deep.{ending}").write_text("{" * 5_000 + "(" * 5_000)
    (tmp_path / f"latin.{ending}").write_bytes("/* größe */ void f() { }".encode("latin-1"))
    assert harvest(find_sources(tmp_path)).stages[0].seen == 10


def test_what_its_documentation_or_its_crate_keeps_inside_is_private(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        a_dot_js="/** Halves.\n * @private\n */\nfunction half(x) { return x / 2; }\nfunction open() {}\n",
        b_dot_rs="pub(crate) fn inside() {}\npub fn outside() {}\n",
    )
    assert {d.name: d.private for d in found.definitions} == {
        "a.half": True,
        "a.open": False,
        "b.inside": True,
        "b.outside": False,
    }
