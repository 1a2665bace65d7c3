// The numbers of selections that Python did not weigh beforehand: `hakari.site.board.closed`, formula by formula.
import { betaInv, studentP, studentQuantile } from "./special";

export const TAIL = 0.025;
const NORMAL = 1.959963984540054;
const UNSEEN_SQUARE = 0.5;

export interface Interval {
  mean: number;
  low: number;
  high: number;
}

/** The share of each task in the mean: by its queries, or the same for all. */
export function weightsOf(queries: readonly number[], micro: boolean): number[] {
  if (!micro) return queries.map(() => 1 / queries.length);
  const total = queries.reduce((sum, n) => sum + n, 0);
  return queries.map((n) => n / total);
}

/** The mean over tasks of one system with its interval, from the means and mean squares of its tasks. */
export function interval(
  means: ArrayLike<number>,
  squares: ArrayLike<number>,
  queries: readonly number[],
  weights: readonly number[],
): Interval {
  let [estimate, mean, variance, inflated, errors, spread, degrees] = [0, 0, 0, 0, 0, 0, 0];
  for (let t = 0; t < queries.length; t++) {
    const [n, w, m, q] = [queries[t]!, weights[t]!, means[t]!, squares[t]!];
    const centre = (n * m + 0.5) / (n + 1);
    const own = ((n * q + UNSEEN_SQUARE) / (n + 1) - centre * centre) / (n + 2);
    const each = Math.max(n - 1, 1);
    estimate += w * m;
    mean += w * centre;
    variance += w * w * own;
    inflated += (w * w * own * n) / each;
    const error = (w * w * Math.max(q - m * m, 0)) / each;
    errors += error;
    spread += (error * error) / each;
    degrees += each;
  }
  variance = Math.max(variance, 1e-18);
  const widening = (Math.sqrt(inflated / variance) * student(spread > 0 ? (errors * errors) / spread : degrees)) / NORMAL;
  const size = Math.max((mean * (1 - mean)) / variance - 1, 1e-6);
  const end = (p: number) => (betaInv(p, mean * size, (1 - mean) * size) - estimate) * widening;
  return {
    mean: estimate,
    low: Math.max(estimate + Math.min(end(TAIL), 0), 0),
    high: Math.min(estimate + Math.max(end(1 - TAIL), 0), 1),
  };
}

export interface Difference {
  gap: number;
  low: number;
  high: number;
  p: number;
}

/**
 * The difference of two systems over tasks, from their means and, of the differences of single queries, the mean
 * square and the largest.
 */
export function difference(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  meanSquares: ArrayLike<number>,
  largest: ArrayLike<number>,
  queries: readonly number[],
  weights: readonly number[],
): Difference {
  let [gap, shift, variance, errors, spread, degrees] = [0, 0, 0, 0, 0, 0];
  for (let t = 0; t < queries.length; t++) {
    const [n, w, d, square] = [queries[t]!, weights[t]!, a[t]! - b[t]!, meanSquares[t]!];
    const each = Math.max(n - 1, 1);
    const centre = (n * d) / (n + 1);
    const own = Math.max((n * square + largest[t]! ** 2) / (n + 1) - centre * centre, 0) / (n + 2);
    gap += w * d;
    shift += w * (centre - d) * Math.sqrt(n / each);
    variance += (w * w * own * n) / each;
    const error = (w * w * Math.max(square - d * d, 0)) / each;
    errors += error;
    spread += (error * error) / each;
    degrees += each;
  }
  const freedom = spread > 0 ? (errors * errors) / spread : degrees;
  const widening = student(freedom) / NORMAL;
  const reach = NORMAL * Math.sqrt(variance);
  return {
    gap,
    low: Math.max(gap + Math.min((shift - reach) * widening, 0), -1),
    high: Math.min(gap + Math.max((shift + reach) * widening, 0), 1),
    p: gap === 0 ? 1 : studentP(gap / Math.sqrt(errors), freedom),
  };
}

/** 1 where an interval lies above 0, -1 where it lies below, else 0. */
export function surelyOrdered(d: Difference): -1 | 0 | 1 {
  return d.low > 0 ? 1 : d.high < 0 ? -1 : 0;
}

/** Holm's correction of p-values that are shown together. */
export function holm(p: readonly number[]): number[] {
  const order = p.map((_, i) => i).sort((i, j) => p[i]! - p[j]!);
  const corrected = new Array<number>(p.length);
  let largest = 0;
  order.forEach((at, place) => {
    largest = Math.max(largest, Math.min(1, p[at]! * (p.length - place)));
    corrected[at] = largest;
  });
  return corrected;
}

const known = new Map<number, number>();

/** Student's quantile; one number is asked for again and again. */
function student(freedom: number): number {
  const key = Math.round(freedom * 1e6) / 1e6;
  let found = known.get(key);
  if (found === undefined) {
    found = studentQuantile(freedom, TAIL);
    if (known.size < 100_000) known.set(key, found);
  }
  return found;
}
