// What the reader chose. It lives in the address, so that a link shows what its sender saw.
import { effect, signal, type Signal } from "@preact/signals";

type Text = Signal<string>;
type Texts = Signal<readonly string[]>;

export const view: Text = signal("table");
export const measure: Text = signal("");
export const micro = signal(false);

/** Filters of tasks: the values kept; none chosen keeps all. */
export const taskFilters = {
  suite: signal<readonly string[]>([]),
  language: signal<readonly string[]>([]),
  domain: signal<readonly string[]>([]),
  shape: signal<readonly string[]>([]),
  audited: signal<readonly string[]>([]),
  task: signal<readonly string[]>([]),
} satisfies Record<string, Texts>;

/** Filters of systems. */
export const systemFilters = {
  family: signal<readonly string[]>([]),
  size: signal<readonly string[]>([]),
  licence: signal<readonly string[]>([]),
  training: signal<readonly string[]>([]),
} satisfies Record<string, Texts>;

/** Retrievers whose variants are unfolded one by one. */
export const opened: Texts = signal<readonly string[]>([]);
export const search: Text = signal("");
export const unfolded = signal(false);
export const alike = signal(false);
export const sort: Text = signal("");
export const columns: Text = signal("none");
export const baseline: Text = signal("");
export const first: Text = signal("");
export const second: Text = signal("");
export const task: Text = signal("");
export const query: Text = signal("");
export const cost: Text = signal("latency");
export const colour: Text = signal("value");
export const model: Text = signal("");
export const dimension: Text = signal("");
export const precision: Text = signal("");
export const rescore: Text = signal("");

const texts: Record<string, [Text, string]> = {
  view: [view, "table"],
  measure: [measure, ""],
  q: [search, ""],
  sort: [sort, ""],
  columns: [columns, "none"],
  baseline: [baseline, ""],
  a: [first, ""],
  b: [second, ""],
  on: [task, ""],
  query: [query, ""],
  cost: [cost, "latency"],
  colour: [colour, "value"],
  model: [model, ""],
  dim: [dimension, ""],
  precision: [precision, ""],
  rescore: [rescore, ""],
};
const flags: Record<string, Signal<boolean>> = { micro, variants: unfolded, alike };
const filters: Record<string, Texts> = { ...taskFilters, ...systemFilters };
const lists: Record<string, Texts> = { ...filters, open: opened };

/** The state as the part of an address after `#`: what differs from the start, in a fixed order. */
export function toHash(): string {
  const params = new URLSearchParams();
  for (const [name, [at, usual]] of Object.entries(texts)) if (at.value !== usual) params.set(name, at.value);
  for (const [name, at] of Object.entries(flags)) if (at.value) params.set(name, "1");
  for (const [name, at] of Object.entries(lists)) for (const value of at.value) params.append(name, value);
  return params.toString();
}

export function fromHash(hash: string): void {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  for (const [name, [at, usual]] of Object.entries(texts)) at.value = params.get(name) ?? usual;
  for (const [name, at] of Object.entries(flags)) at.value = params.get(name) === "1";
  for (const [name, at] of Object.entries(lists)) {
    const given = params.getAll(name);
    if (given.join("\n") !== at.peek().join("\n")) at.value = given;
  }
}

/** A link to the present state with some of it changed. */
export function hashWith(changes: Record<string, string | null>): string {
  const params = new URLSearchParams(toHash());
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) params.delete(name);
    else params.set(name, value);
  }
  return `#${params}`;
}

export function clearFilters(): void {
  for (const at of Object.values(filters)) at.value = [];
  search.value = "";
}

export function filtering(): boolean {
  return search.value !== "" || Object.values(filters).some((at) => at.value.length > 0);
}

/** Keep address and state the same, in both directions. */
export function bindAddress(): void {
  fromHash(location.hash);
  const write = (hash: string) => {
    if (hash === location.hash.replace(/^#/, "")) return;
    history.replaceState(null, "", hash ? `#${hash}` : location.href.replace(/#.*/, ""));
  };
  addEventListener("hashchange", () => {
    // A link to a place on the page is no state; the address goes back to what it was.
    if (document.getElementById(location.hash.slice(1))) write(toHash());
    else fromHash(location.hash);
  });
  effect(() => write(toHash()));
}
