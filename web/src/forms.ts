// Names of variants taken apart: `dim=256+binary>float@400` is 256 dimensions, one bit each, 400 rescored.

export interface Form {
  /** Numbers kept of each vector; null keeps all. */
  dimension: number | null;
  precision: string;
  /** How many candidates are rescored; 0 for none. */
  rescored: number;
}

/** What a name says, or null where it is not made of dimension, precision and rescoring. */
export function formOf(variant: string): Form | null {
  const parts = /^(?:dim=(\d+))?(?:(?:^|\+)(int8|binary|float))?(?:>(?:float|int8)@(\d+))?$/.exec(variant);
  if (!parts || variant === "") return null;
  return {
    dimension: parts[1] ? Number(parts[1]) : null,
    precision: parts[2] ?? "float",
    rescored: parts[3] ? Number(parts[3]) : 0,
  };
}

export const PRECISIONS = ["float", "int8", "binary"] as const;
