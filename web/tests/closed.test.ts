// Reference values are of scipy (`betainc`, `betaincinv`, `stdtrit`).
import { describe, expect, test } from "vitest";
import { difference, holm, interval, surelyOrdered, weightsOf } from "../src/closed";
import { betaInc, betaInv, logGamma, studentP, studentQuantile } from "../src/special";

describe("special functions", () => {
  test("log gamma", () => {
    expect(logGamma(0.5)).toBeCloseTo(0.5723649429247001, 12);
    expect(logGamma(1000.25)).toBeCloseTo(5906.9472682711175, 8);
  });
  test.each([
    [0.3, 2, 5, 0.5798250000000003],
    [0.999, 250.5, 0.5, 0.47917045297994143],
    [0.62, 31000, 19000, 0.49970594489582915],
  ])("incomplete beta at %d", (x, a, b, value) => expect(betaInc(x, a, b)).toBeCloseTo(value, 9));
  test.each([
    [0.025, 0.5, 200.5],
    [0.975, 200.5, 0.5],
    [0.025, 120.2, 80.7],
    [0.5, 3, 3],
    [0.975, 40000, 12000],
  ])("the inverse finds the way back: %d of Beta(%d, %d)", (p, a, b) =>
    expect(betaInc(betaInv(p, a, b), a, b)).toBeCloseTo(p, 9),
  );
  test.each([
    [1, 12.706204736432095],
    [9.5, 2.2441374614922958],
    [199, 1.971956544249395],
    [1e7, 1.959964221767205],
  ])("Student with %d degrees", (freedom, t) => expect(studentQuantile(freedom, 0.025)).toBeCloseTo(t, 8));
  test("p of Student", () => expect(studentP(2.0930240544082634, 19)).toBeCloseTo(0.05, 8));
});

describe("closed form", () => {
  test("hits of one task have Jeffreys' interval, widened", () => {
    const found = interval([0.74], [0.74], [50], [1]);
    expect(found.mean).toBe(0.74);
    expect(found.low).toBeGreaterThan(0.59);
    expect(found.high).toBeLessThan(0.86);
  });
  test("the interval holds the mean and stays on the scale", () => {
    for (const share of [0, 1]) {
      const found = interval([share], [share], [20], [1]);
      expect(found.low).toBeLessThanOrEqual(share);
      expect(found.high).toBeGreaterThanOrEqual(share);
      expect(found.low).toBeGreaterThanOrEqual(0);
      expect(found.high).toBeLessThanOrEqual(1);
      expect(found.high - found.low).toBeGreaterThan(0.05);
    }
  });
  test("weights add up", () => {
    expect(weightsOf([10, 30], true)).toEqual([0.25, 0.75]);
    expect(weightsOf([10, 30], false)).toEqual([0.5, 0.5]);
  });
  test("no change is no difference", () => {
    const d = difference([0.4, 0.5], [0.4, 0.5], [0, 0], [0, 0], [50, 50], [0.5, 0.5]);
    expect(d).toEqual({ gap: 0, low: 0, high: 0, p: 1 });
    expect(surelyOrdered(d)).toBe(0);
  });
  test("a difference turned round is the same the other way", () => {
    const there = difference([0.5], [0.3], [0.2], [1], [100], [1]);
    const back = difference([0.3], [0.5], [0.2], [1], [100], [1]);
    expect(there.gap).toBe(-back.gap);
    expect(there.low).toBeCloseTo(-back.high, 15);
    expect(surelyOrdered(there)).toBe(1);
    expect(surelyOrdered(back)).toBe(-1);
  });
  test("Holm", () => {
    expect(holm([0.01, 0.04, 0.03])).toEqual([0.03, 0.06, 0.06]);
    expect(holm([0.5, 0.9])).toEqual([1, 1]);
  });
});
