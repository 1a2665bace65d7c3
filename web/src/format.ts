// Numbers and names as text. No more digits than the interval bears.

const MINUS = "\u2212";

export function score(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return value.toFixed(digits).replace(/^(-?)0\./, "$1.").replace("-", MINUS);
}

export function signed(value: number | null | undefined, digits = 3): string {
  const text = score(value, digits);
  return value !== null && value !== undefined && value > 0 ? `+${text}` : text;
}

export function range(low: number, high: number, digits = 2): string {
  return Number.isNaN(low) ? "–" : `${score(low, digits)}–${score(high, digits)}`;
}

export function ranks(best: number, worst: number): string {
  return best === 0 ? "–" : best === worst ? `${best}` : `${best}–${worst}`;
}

/** A count with the thousands set apart. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A quantity with three digits that count, and a unit of its size. */
export function quantity(value: number | null, units: readonly [number, string][]): string {
  if (value === null) return "–";
  const [scale, unit] = units.find(([from]) => value >= from) ?? units.at(-1)!;
  return `${Number((value / scale).toPrecision(3))} ${unit}`.trim();
}

export const size = (value: number | null) =>
  quantity(value, [[1e9, "B"], [1e6, "M"], [1e3, "k"], [1, ""]]);
export const milliseconds = (value: number | null) =>
  quantity(value, [[1000, "s"], [1, "ms"], [0.001, "µs"]].map(([s, u]) => [s, u] as [number, string]));
export const weight = (value: number | null) => quantity(value, [[1e6, "MB"], [1e3, "kB"], [1, "B"]]);

export function p(value: number): string {
  return value < 0.0001 ? "<.0001" : score(value, 4);
}
