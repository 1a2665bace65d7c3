import { describe, expect, test } from "vitest";
import { formOf } from "../src/forms";
import { count, milliseconds, p, range, ranks, score, signed, size, weight } from "../src/format";
import { front } from "../src/front";
import { sorted } from "../src/grid";
import { csv, markdown } from "../src/sheet";

describe("numbers as text", () => {
  test("scores", () => {
    expect([score(0.7124), score(1), score(0), score(Number.NaN), score(null)]).toEqual([".712", "1.000", ".000", "–", "–"]);
    expect([signed(0.01), signed(-0.01), signed(0)]).toEqual(["+.010", "−.010", ".000"]);
    expect(range(0.66, 0.7651)).toBe(".66–.77");
    expect([ranks(1, 1), ranks(2, 5), ranks(0, 0)]).toEqual(["1", "2–5", "–"]);
    expect([p(0.00001), p(0.05)]).toEqual(["<.0001", ".0500"]);
  });
  test("quantities", () => {
    expect([size(22_700_000), size(1_540_000_000), size(null)]).toEqual(["22.7 M", "1.54 B", "–"]);
    expect([milliseconds(0.0531), milliseconds(12.34), milliseconds(2500)]).toEqual(["53.1 µs", "12.3 ms", "2.5 s"]);
    expect([weight(48), weight(1536), count(66383)]).toEqual(["48 B", "1.54 kB", "66,383"]);
  });
});

describe("sheets", () => {
  const sheet = { name: "x", columns: ["system", "value"], rows: [['a "b", c', 0.5], ["=cmd()|x", null], ["d|e<f>", 3]] };
  test("CSV quotes what it must and runs nothing", () => {
    expect(csv(sheet).split("\r\n")).toEqual(["system,value", '"a ""b"", c",0.5', "'=cmd()|x,", "d|e<f>,3", ""]);
  });
  test("Markdown keeps cells apart", () => {
    const lines = markdown(sheet).split("\n");
    expect(lines[1]).toBe("| --- | ---: |");
    expect(lines[3]).toBe("| =cmd()\\|x | – |");
    expect(lines[4]).toBe("| d\\|e\\<f\\> | 3 |");
  });
});

test("variants taken apart", () => {
  expect(formOf("dim=256+binary>float@400")).toEqual({ dimension: 256, precision: "binary", rescored: 400 });
  expect(formOf("int8")).toEqual({ dimension: null, precision: "int8", rescored: 0 });
  expect(formOf("dim=64")).toEqual({ dimension: 64, precision: "float", rescored: 0 });
  expect(formOf("active-dims=64")).toBeNull();
});

test("the front is what nothing beats on both", () => {
  const points = [[1, 0.2], [2, 0.5], [3, 0.4], [2, 0.3], [9, 0.9]].map(([cost, value]) => ({ cost: cost!, value: value! }));
  expect([...front(points)].map((q) => q.cost)).toEqual([1, 2, 9]);
});

test("rows without a value come last, whichever way they are sorted", () => {
  const column = { id: "v", title: "v", key: (v: number | null) => v, cell: String };
  expect(sorted([2, null, 3, Number.NaN, 1], column, 1)).toEqual([1, 2, 3, null, Number.NaN]);
  expect(sorted([2, null, 3, 1], column, -1)).toEqual([3, 2, 1, null]);
});
