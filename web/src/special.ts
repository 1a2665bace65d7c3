// The incomplete beta function and its inverse, which Student's and the Beta distribution are made of.

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - logGamma(1 - x);
  const z = x - 1;
  let sum = LANCZOS[0]!;
  for (let i = 1; i < 9; i++) sum += LANCZOS[i]! / (z + i);
  const t = z + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** The continued fraction of the incomplete beta function, by Lentz's method. */
function fraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 - ((a + b) * x) / (a + 1);
  d = 1 / (Math.abs(d) < tiny ? tiny : d);
  let product = d;
  for (let m = 1; m <= 3000; m++) {
    for (const term of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      d = 1 + term * d;
      d = 1 / (Math.abs(d) < tiny ? tiny : d);
      c = 1 + term / c;
      if (Math.abs(c) < tiny) c = tiny;
      product *= d * c;
    }
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return product;
}

function front(x: number, a: number, b: number): number {
  return a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b);
}

/** The probability that a Beta(a, b) variate is at most x. */
export function betaInc(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const scale = Math.exp(front(x, a, b));
  return x < (a + 1) / (a + b + 2) ? (scale * fraction(x, a, b)) / a : 1 - (scale * fraction(1 - x, b, a)) / b;
}

/** The quantile of a Beta(a, b) variate: Newton's steps, kept within brackets. */
export function betaInv(p: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  let x = a / (a + b);
  for (let i = 0; i < 200; i++) {
    const miss = betaInc(x, a, b) - p;
    if (miss > 0) high = x;
    else low = x;
    const slope = Math.exp(front(x, a, b) - Math.log(x) - Math.log1p(-x));
    let next = x - miss / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (Math.abs(next - x) <= 1e-14 * Math.max(next, 1e-12)) return next;
    x = next;
  }
  return x;
}

/** The quantile above which Student's distribution has the share `tail`. */
export function studentQuantile(freedom: number, tail: number): number {
  // For many degrees x runs into 1 and the difference is lost, so the smaller side is asked for.
  const y = betaInv(1 - 2 * tail, 0.5, freedom / 2);
  return Math.sqrt((freedom * y) / (1 - y));
}

/** The two-sided p-value of Student's t. */
export function studentP(t: number, freedom: number): number {
  return Number.isFinite(t) ? betaInc(freedom / (freedom + t * t), freedom / 2, 0.5) : 0;
}
