// The data of the board: what its files hold, and how they are read when they are needed.
import { signal, type Signal } from "@preact/signals";

export interface System {
  name: string;
  retriever: string;
  variant: string;
  family: string;
  parameters: number | null;
  licence: string | null;
  bytes: number | null;
  latency: number | null;
  depth: number | null;
  ceiling: Record<string, Record<string, number>>;
  safeguards: number;
  link: string | null;
  head: number;
  /** What is on record of its training data and the tasks. */
  training: { state: string; risk: string | null; tasks: Record<string, number> };
}

export type Figures = [number | null, number | null, number | null];

export interface Published {
  bm25?: Figures;
  dense?: Figures;
  reranking_hybrid?: Figures;
  dense_model?: string;
  safeguards?: number;
}

export interface Task {
  name: string;
  suite: string;
  language: string;
  /** What it is about; several where it belongs to several. */
  domains: string[];
  shape: string | null;
  queries: number | null;
  documents: number | null;
  audited: boolean;
  overall: boolean;
  published: Published | null;
  link: string | null;
}

/** Means that others measured, by measure and number of task. */
export interface Imported {
  mark: string;
  source: string;
  name: string;
  figures: Record<string, Record<string, number>>;
}

interface PackedBlock {
  means: string;
  lows: string;
  highs: string;
  best: string;
  worst: string;
}

export interface Core {
  format: number;
  hakari: string;
  title: string;
  resampled: boolean;
  measures: string[];
  systems: System[];
  tasks: Task[];
  measured: number[];
  views: { kind: string; label: string; tasks: number[] }[];
  all_pairs: boolean;
  imported: Imported[];
  first: [PackedBlock, PackedBlock];
}

/** The numbers of one selection of tasks, one a system; NaN and 0 where a system is incomplete. */
export interface Block {
  means: ArrayLike<number>;
  lows: ArrayLike<number>;
  highs: ArrayLike<number>;
  best: ArrayLike<number>;
  worst: ArrayLike<number>;
}

/** Tasks x systems, row by row; tasks are those of `Core.measured`. */
export interface Cells {
  means: Float32Array;
  squares: Float32Array;
  lows?: Float32Array;
  highs?: Float32Array;
  best?: Uint16Array;
  worst?: Uint16Array;
}

export interface TaskQueries {
  queries: string[];
  systems: number[];
  /** measures x systems x queries */
  values: Uint16Array;
  documents: string[];
  /** systems x queries x 10 */
  tops: Uint32Array;
  positives: number[][] | null;
  /** Whether there is a file of texts beside this one. */
  texts: boolean;
}

export interface TaskTexts {
  queries: string[];
  query_lengths: Uint32Array;
  documents: (string | null)[];
  document_lengths: Uint32Array;
}

export const TOP = 10;
export const NO_DOCUMENT = 0xffffffff;

const files = new Map<string, Signal<unknown>>();

function slot(name: string): Signal<unknown> {
  let found = files.get(name);
  if (!found) files.set(name, (found = signal<unknown>(undefined)));
  return found;
}

/** What the files of data call. */
export function receive(name: string, payload: unknown): void {
  slot(name).value = payload;
}

const asked = new Set<string>();
export const failed = signal<string | null>(null);

/** The content of a file, or undefined while it is on its way. Reading it in a component draws that again. */
export function file<T>(name: string): T | undefined {
  const found = slot(name);
  if (found.peek() === undefined && !asked.has(name)) {
    asked.add(name);
    const script = document.createElement("script");
    script.src = `data/${name}.js`;
    script.onerror = () => (failed.value = `data/${name}.js could not be read`);
    document.head.append(script);
  }
  return found.value as T | undefined;
}

export function bytes(base64: string): ArrayBuffer {
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out.buffer;
}

export const f32 = (base64: string) => new Float32Array(bytes(base64));
export const u16 = (base64: string) => new Uint16Array(bytes(base64));
export const u32 = (base64: string) => new Uint32Array(bytes(base64));

const SHARE_STEPS = 65534;
const NO_SHARE = 65535;

/** A number from 0 to 1 that was kept in 16 bits; NaN where there is none. */
export function share(step: number | undefined): number {
  return step === undefined || step === NO_SHARE ? Number.NaN : step / SHARE_STEPS;
}

export function unpack(block: PackedBlock): Block {
  return {
    means: f32(block.means),
    lows: f32(block.lows),
    highs: f32(block.highs),
    best: u16(block.best),
    worst: u16(block.worst),
  };
}

/** A file decoded once. */
function decoded<P, T>(prefix: string, decode: (payload: P) => T): (number: number) => T | undefined {
  const made = new Map<number, T>();
  return (number) => {
    const known = made.get(number);
    if (known) return known;
    const payload = file<P>(`${prefix}-${number}`);
    if (payload === undefined) return undefined;
    const fresh = decode(payload);
    made.set(number, fresh);
    return fresh;
  };
}

type PackedViews = { blocks: [PackedBlock, PackedBlock][] };
export const viewsOf = decoded("views", (p: PackedViews) => {
  const made = new Map<number, Block>();
  return (view: number, micro: boolean): Block => {
    const key = view * 2 + Number(micro);
    let found = made.get(key);
    if (!found) made.set(key, (found = unpack(p.blocks[view]![micro ? 1 : 0])));
    return found;
  };
});

type PackedCells = { means: string; squares: string; lows?: string; highs?: string; best?: string; worst?: string };
export const cellsOf = decoded(
  "cells",
  (p: PackedCells): Cells => ({
    means: f32(p.means),
    squares: f32(p.squares),
    ...(p.lows && p.highs && p.best && p.worst
      ? { lows: f32(p.lows), highs: f32(p.highs), best: u16(p.best), worst: u16(p.worst) }
      : {}),
  }),
);

/** Tasks x pairs: of the differences of single queries the root of the mean square, and the largest in 1/255. */
export const gapsOf = decoded("pairs", (p: { gaps: string; largest: string }) => ({
  roots: u16(p.gaps),
  largest: new Uint8Array(bytes(p.largest)),
}));

type PackedQueries = Omit<TaskQueries, "values" | "tops"> & { values: string; tops: string };
export const queriesOf = decoded(
  "task",
  (p: PackedQueries): TaskQueries => ({ ...p, values: u16(p.values), tops: u32(p.tops) }),
);

type PackedTexts = Omit<TaskTexts, "query_lengths" | "document_lengths"> & {
  query_lengths: string;
  document_lengths: string;
};
export const textsOf = decoded(
  "texts",
  (p: PackedTexts): TaskTexts => ({
    ...p,
    query_lengths: u32(p.query_lengths),
    document_lengths: u32(p.document_lengths),
  }),
);
