// The Pareto front: points that no other beats on cost without losing value, or on value without costing more.

export function front<P extends { cost: number; value: number }>(points: readonly P[]): Set<P> {
  const found = new Set<P>();
  let best = Number.NEGATIVE_INFINITY;
  for (const point of [...points].sort((a, b) => a.cost - b.cost || b.value - a.value)) {
    if (point.value > best) {
      found.add(point);
      best = point.value;
    }
  }
  return found;
}
