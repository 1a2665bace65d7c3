// The board that was loaded, and what follows from it and from what the reader chose.
import { computed, signal } from "@preact/signals";
import { difference, interval, surelyOrdered, weightsOf, type Difference } from "./closed";
import { cellsOf, gapsOf, share, unpack, viewsOf, type Block, type Cells, type Core, type System, type Task } from "./data";
import * as state from "./state";

export const core = signal<Core | null>(null);

const board = (): Core => core.value!;
export const systems = computed((): System[] => core.value?.systems ?? []);
export const tasks = computed((): Task[] => core.value?.tasks ?? []);

export const measureNumber = computed(() => Math.max(0, board().measures.indexOf(state.measure.value)));
export const measureName = computed(() => board().measures[measureNumber.value]!);

export const NOT_KNOWN = "unknown";
const SIZES: readonly [number, string][] = [
  [5e7, "up to 50 M"],
  [1.5e8, "up to 150 M"],
  [5e8, "up to 500 M"],
  [2e9, "up to 2 B"],
  [Number.POSITIVE_INFINITY, "more"],
];
export const SIZE_NAMES = [...SIZES.map(([, name]) => name), NOT_KNOWN];

export function sizeOf(system: System): string {
  const parameters = system.parameters;
  return parameters === null ? NOT_KNOWN : SIZES.find(([to]) => parameters <= to)![1];
}

/** The traits by which tasks and systems are filtered. */
export const taskTraits: Record<keyof typeof state.taskFilters, (task: Task) => readonly string[]> = {
  suite: (t) => [t.suite],
  language: (t) => [t.language],
  domain: (t) => t.domains,
  shape: (t) => [t.shape ?? NOT_KNOWN],
  audited: (t) => [t.audited ? "audited" : "not audited"],
  task: (t) => [t.name],
};
export const systemTraits: Record<keyof typeof state.systemFilters, (system: System) => string> = {
  family: (s) => s.family,
  size: sizeOf,
  licence: (s) => s.licence ?? NOT_KNOWN,
  training: (s) => s.training.state,
};

export function taskPasses(task: Task): boolean {
  return Object.entries(state.taskFilters).every(
    ([name, at]) =>
      at.value.length === 0 || taskTraits[name as keyof typeof taskTraits](task).some((v) => at.value.includes(v)),
  );
}

function systemPasses(system: System): boolean {
  const wanted = state.search.value.trim().toLowerCase();
  return (
    (wanted === "" || system.name.toLowerCase().includes(wanted)) &&
    Object.entries(state.systemFilters).every(
      ([name, at]) =>
        at.value.length === 0 || at.value.includes(systemTraits[name as keyof typeof systemTraits](system)),
    )
  );
}

export const isHead = (number: number): boolean => systems.value[number]!.head === number;

/** The systems that the filters keep, with their variants. */
export const passed = computed((): number[] =>
  systems.value.map((_, i) => i).filter((i) => systemPasses(systems.value[i]!)),
);
/** The same without variants that are folded under their retriever. */
export const shown = computed((): number[] => passed.value.filter((i) => isHead(i) || isOpen(systems.value[i]!.head)));

export function isOpen(head: number): boolean {
  return state.unfolded.value || state.opened.value.includes(systems.value[head]!.name);
}

const variants = computed(() => {
  const found = new Map<number, number[]>();
  systems.value.forEach((s, i) => s.head !== i && found.set(s.head, [...(found.get(s.head) ?? []), i]));
  return found;
});
export const variantsOf = (head: number): readonly number[] => variants.value.get(head) ?? [];

/** Tasks that the filters keep: numbers of tasks. */
const passing = computed((): number[] => board().measured.filter((t) => taskPasses(tasks.value[t]!)));
const row = computed(() => new Map(board().measured.map((t, i) => [t, i] as const)));
export const cells = computed((): Cells | undefined => cellsOf(measureNumber.value));

const width = () => systems.value.length;
export function meanAt(cells: Cells, task: number, system: number): number {
  return cells.means[row.value.get(task)! * width() + system]!;
}

/** How many of some tasks a system has. */
export function held(cells: Cells, list: readonly number[], system: number): number[] {
  return list.filter((t) => !Number.isNaN(meanAt(cells, t, system)));
}

/** The tasks that everything is about: those that the filters keep, and if asked, that all shown systems have. */
export const selected = computed((): number[] => {
  const list = passing.value;
  if (!state.alike.value) return list;
  const here = cells.value;
  if (!here) return list;
  const common = list.filter((t) => shown.value.every((s) => !Number.isNaN(meanAt(here, t, s))));
  return common.length > 0 ? common : list;
});

/** Tests ask for the closed form where Python's numbers are there, to hold one against the other. */
export const onlyClosed = signal(false);

const viewByTasks = computed(() => new Map(board().views.map((v, i) => [v.tasks.join(), i] as const)));
const start = computed(() => board().first.map(unpack));

/** The numbers of a selection of tasks, asked for by system. */
export interface Numbers {
  mean: (system: number) => number;
  low: (system: number) => number;
  high: (system: number) => number;
  /** Ranks from 1; 0 where there is none. */
  ranks: (system: number) => readonly [number, number];
  /** Whether Python weighed this very selection; else the numbers are in closed form. */
  weighed: boolean;
}

/** The numbers of the selection, or undefined while their data is on the way. */
export const numbers = computed((): Numbers | undefined => numbersOf(selected.value));

export function numbersOf(list: readonly number[]): Numbers | undefined {
  const number = viewByTasks.value.get(list.join());
  const useMicro = state.micro.value;
  if (onlyClosed.value) return cells.value && closedNumbers(cells.value, list, useMicro);
  if (number === 0 && measureNumber.value === 0) return fromBlock(start.value[useMicro ? 1 : 0]!);
  if (number !== undefined) {
    const views = viewsOf(measureNumber.value);
    return views && fromBlock(views(number, useMicro));
  }
  const here = cells.value;
  if (!here) return undefined;
  if (list.length === 1 && here.lows) {
    const from = row.value.get(list[0]!)! * width();
    const cut = (values: Float32Array | Uint16Array) => values.subarray(from, from + width());
    const [means, lows, highs] = [cut(here.means), cut(here.lows), cut(here.highs!)];
    return { ...fromBlock({ means, lows, highs, best: cut(here.best!), worst: cut(here.worst!) }), weighed: true };
  }
  return closedNumbers(here, list, useMicro);
}

function fromBlock(block: Block): Numbers {
  return {
    mean: (s) => block.means[s]!,
    low: (s) => block.lows[s]!,
    high: (s) => block.highs[s]!,
    ranks: (s) => [block.best[s]!, block.worst[s]!],
    weighed: board().resampled,
  };
}

/** Means at once; intervals when they are asked for, for that takes longer and most rows are never looked at. */
function closedNumbers(here: Cells, list: readonly number[], useMicro: boolean): Numbers {
  const { rows, queries, weights } = lens(list, useMicro);
  const means = new Float64Array(width());
  for (let t = 0; t < rows.length; t++)
    for (let s = 0; s < means.length; s++) means[s] = means[s]! + weights[t]! * here.means[rows[t]! + s]!;
  const made = new Map<number, { low: number; high: number }>();
  const at = (system: number) => {
    let found = made.get(system);
    if (!found) {
      const column = (values: Float32Array) => Float64Array.from(rows, (r) => values[r + system]!);
      found = Number.isNaN(means[system]!)
        ? { low: Number.NaN, high: Number.NaN }
        : interval(column(here.means), column(here.squares), queries, weights);
      made.set(system, found);
    }
    return found;
  };
  const known = [...means.keys()].filter((s) => isHead(s) && !Number.isNaN(means[s]!));
  const placed = rankRanges(known, list, useMicro);
  return {
    mean: (s) => means[s]!,
    low: (s) => at(s).low,
    high: (s) => at(s).high,
    ranks: (s) => placed?.get(s) ?? [0, 0],
    weighed: false,
  };
}

/** Where the numbers of some tasks lie, and what each counts for. */
function lens(list: readonly number[], useMicro: boolean) {
  const queries = list.map((t) => tasks.value[t]!.queries!);
  const places = list.map((t) => row.value.get(t)!);
  return { places, rows: places.map((p) => p * width()), queries, weights: weightsOf(queries, useMicro) };
}

/** The place of a pair among those that are kept. */
const pairPlace = computed(() => {
  const all = board().all_pairs;
  const heads = systems.value.map((_, i) => i).filter(isHead);
  const others = systems.value.map((_, i) => i).filter((i) => !isHead(i));
  const n = all ? width() : heads.length;
  const between = (n * (n - 1)) / 2;
  const place = new Map(heads.map((s, i) => [s, i] as const));
  const otherPlace = new Map(others.map((s, i) => [s, between + i] as const));
  const among = (a: number, b: number) => {
    const [i, j] = a < b ? [a, b] : [b, a];
    return i * n - (i * (i + 1)) / 2 + (j - i - 1);
  };
  const find = (a: number, b: number): number | undefined => {
    if (a === b) return undefined;
    if (all) return among(a, b);
    const [i, j] = [place.get(a), place.get(b)];
    if (i !== undefined && j !== undefined) return among(i, j);
    if (systems.value[b]!.head === a) return otherPlace.get(b);
    return systems.value[a]!.head === b ? otherPlace.get(a) : undefined;
  };
  return { find, count: all ? between : between + others.length };
});

export const paired = (a: number, b: number): boolean => pairPlace.value.find(a, b) !== undefined;

/** The paired difference a - b over some tasks; undefined where data is missing or on its way. */
export function differenceOf(
  a: number,
  b: number,
  list: readonly number[],
  useMicro = state.micro.value,
): Difference | undefined {
  return list.length === 0 ? undefined : differences(list, useMicro)?.(a, b);
}

/** Paired differences over some tasks, for many pairs. */
export function differences(list: readonly number[], useMicro: boolean) {
  const [here, gaps] = [cells.value, gapsOf(measureNumber.value)];
  const { find, count } = pairPlace.value;
  if (!here || !gaps) return undefined;
  const { places, rows, queries, weights } = lens(list, useMicro);
  const empty = () => new Float64Array(list.length);
  const [first, second, squares, largest] = [empty(), empty(), empty(), empty()];
  return (a: number, b: number): Difference | undefined => {
    const pair = find(a, b);
    if (pair === undefined) return undefined;
    for (let t = 0; t < rows.length; t++) {
      first[t] = here.means[rows[t]! + a]!;
      second[t] = here.means[rows[t]! + b]!;
      const at = places[t]! * count + pair;
      squares[t] = share(gaps.roots[at]) ** 2;
      largest[t] = gaps.largest[at]! / 255;
    }
    const found = difference(first, second, squares, largest, queries, weights);
    return Number.isNaN(found.gap) ? undefined : found;
  };
}

/** Who is surely above whom on a list of tasks, pair by pair, kept while the list is: filters of systems ask again. */
const ordersOf = new WeakMap<readonly number[], Map<string, Map<number, -1 | 0 | 1>>>();

/** The best and the worst rank of each of some systems, from who is surely above whom. */
export function rankRanges(
  among: readonly number[],
  list: readonly number[],
  useMicro: boolean,
): Map<number, [number, number]> | undefined {
  const between = differences(list, useMicro);
  if (!between) return undefined;
  const kinds = ordersOf.get(list) ?? new Map<string, Map<number, -1 | 0 | 1>>();
  ordersOf.set(list, kinds);
  const kind = `${measureNumber.value} ${useMicro}`;
  const known = kinds.get(kind) ?? new Map<number, -1 | 0 | 1>();
  kinds.set(kind, known);
  const order = (a: number, b: number) => {
    const at = a * width() + b;
    let found = known.get(at);
    if (found === undefined) {
      const d = between(a, b);
      known.set(at, (found = d ? surelyOrdered(d) : 0));
    }
    return found;
  };
  const found = new Map(among.map((s) => [s, [1, among.length] as [number, number]]));
  among.forEach((a, i) => {
    for (let j = i + 1; j < among.length; j++) {
      const side = order(a, among[j]!);
      if (side === 0) continue;
      const [winner, loser] = side > 0 ? [a, among[j]!] : [among[j]!, a];
      found.get(loser)![0] += 1;
      found.get(winner)![1] -= 1;
    }
  });
  return found;
}

/** The system of a name, or the given one. */
export function systemNamed(name: string, otherwise: number): number {
  const found = systems.value.findIndex((s) => s.name === name);
  return found >= 0 ? found : otherwise;
}

/** Systems best first on the selection, complete ones before the others. */
export function bestFirst(list: readonly number[], numbers: Numbers | undefined): number[] {
  if (!numbers) return [...list];
  const value = (s: number) => (Number.isNaN(numbers.mean(s)) ? -1 : numbers.mean(s));
  return [...list].sort((a, b) => value(b) - value(a) || a - b);
}
