// The leaderboard: systems with their mean, its interval and the ranks that are left open.
import { computed } from "@preact/signals";
import {
  cells, held, isHead, isOpen, meanAt, measureName, numbers, numbersOf, passed, rankRanges, selected, shown,
  systems, tasks, taskTraits, variantsOf,
} from "../board";
import { Choice, Controls, Switch } from "../controls";
import { count, milliseconds, range, ranks, score, size, weight } from "../format";
import { Grid, sorted, type Column } from "../grid";
import { bar, systemName } from "../parts";
import { importedMeans, publishedMeans, type PublishedMean } from "../published";
import * as state from "../state";
import type { BoardView } from "../view";

interface Row {
  id: string;
  name: string;
  system: number | null;
  mean: number;
  low: number;
  high: number;
  ranks: readonly [number, number];
  tasks: number;
  ceiling: number | null;
  published: PublishedMean | null;
}

const complete = computed(() => passed.value.filter((s) => isHead(s) && !Number.isNaN(numbers.value?.mean(s) ?? 0)));

/** Ranks among the systems shown: those of Python where all are, else counted anew. */
const placed = computed(() => {
  const found = numbers.value;
  if (!found) return undefined;
  const everyone = systems.value.every((_, s) => !isHead(s) || Number.isNaN(found.mean(s)) || complete.value.includes(s));
  if (everyone) return new Map(complete.value.map((s) => [s, found.ranks(s)] as const));
  return rankRanges(complete.value, selected.value, state.micro.value);
});

function rowOf(system: number): Row {
  const found = numbers.value;
  const mean = found ? found.mean(system) : Number.NaN;
  const here = cells.value;
  const own = Number.isNaN(mean) && here ? held(here, selected.value, system) : selected.value;
  const partial = Number.isNaN(mean) && here && own.length > 0;
  return {
    id: `s${system}`,
    name: systems.value[system]!.name,
    system,
    mean: partial ? own.reduce((sum, t) => sum + meanAt(here, t, system), 0) / own.length : mean,
    // Asked for when a row is drawn: in closed form an interval takes a while.
    get low() {
      return partial || !found ? Number.NaN : found.low(system);
    },
    get high() {
      return partial || !found ? Number.NaN : found.high(system);
    },
    ranks: (isHead(system) ? placed.value?.get(system) : undefined) ?? [0, 0],
    tasks: own.length,
    ceiling: ceilingOf(system, own),
    published: null,
  };
}

/** The mean over tasks of what no reranker of the same candidates can pass. */
function ceilingOf(system: number, list: readonly number[]): number | null {
  const known = systems.value[system]!.ceiling[measureName.value];
  const values = known ? list.map((t) => known[String(t)]).filter((v) => v !== undefined) : [];
  return values.length > 0 && values.length === list.length ? values.reduce((a, b) => a + b, 0) / values.length : null;
}

const parts = computed(() => {
  const rows = passed.value.filter(isHead).map(rowOf);
  const whole = (row: Row) => row.tasks === selected.value.length && !Number.isNaN(row.mean);
  const asked = [selected.value, measureName.value, state.micro.value] as const;
  const outside = [...publishedMeans(...asked), ...importedMeans(...asked)].map(
    (p): Row => ({
      id: p.id, name: p.label, system: null, mean: p.mean, low: Number.NaN, high: Number.NaN, ranks: [0, 0],
      tasks: p.tasks, ceiling: null, published: p,
    }),
  );
  return { complete: rows.filter(whole), incomplete: rows.filter((r) => !whole(r) && r.tasks > 0), outside };
});

/** Means over the values of a trait, one a column. */
const groups = computed(() => {
  const name = state.columns.value as keyof typeof taskTraits;
  const trait = taskTraits[name];
  if (!trait) return [];
  const found = new Map<string, number[]>();
  for (const t of selected.value)
    for (const value of trait(tasks.value[t]!)) {
      const list = found.get(value);
      if (list) list.push(t);
      else found.set(value, [t]);
    }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([label, list]) => ({ label, numbers: numbersOf(list), list }));
});

const columns = computed((): Column<Row>[] => {
  const all = [...parts.value.complete, ...parts.value.incomplete];
  const some = (value: (row: Row) => unknown) => all.some((row) => value(row) !== null);
  const of = <K extends "parameters" | "latency" | "bytes">(key: K) => (row: Row) =>
    row.system === null ? null : systems.value[row.system]![key];
  const cost = (id: "parameters" | "latency" | "bytes", title: string, hint: string, text: (v: number | null) => string) =>
    some(of(id)) ? [{ id, title, hint, number: true, key: of(id), cell: (row: Row) => text(of(id)(row)) }] : [];
  return [
    { id: "rank", title: "Rank", hint: "The ranks that resampling the queries leaves open", key: (r) => r.ranks[0] * 1000 + r.ranks[1] || null, cell: (r) => ranks(...r.ranks) },
    { id: "system", title: "System", heads: true, key: (r) => r.name, cell: nameOf },
    { id: "family", title: "Family", key: (r) => familyOf(r), cell: (r) => familyOf(r) },
    { id: "mean", title: measureName.value, number: true, key: (r) => r.mean, cell: (r) => <b>{score(r.mean)}</b> },
    { id: "interval", title: "95 % interval", cell: (r) => bar({ low: r.low, mean: r.mean, high: r.high, text: range(r.low, r.high) }) },
    ...(some((r) => r.ceiling)
      ? [{ id: "ceiling", title: "Ceiling", hint: "What no reranker of the same candidates can pass", number: true, key: (r: Row) => r.ceiling, cell: (r: Row) => score(r.ceiling) }]
      : []),
    { id: "tasks", title: "Tasks", number: true, key: (r) => r.tasks, cell: (r) => (r.tasks === selected.value.length ? count(r.tasks) : `${count(r.tasks)} of ${count(selected.value.length)}`) },
    ...cost("parameters", "Parameters", "Of the model", size),
    ...cost("latency", "Latency", "A query, the median over tasks; compare within one machine", milliseconds),
    ...cost("bytes", "Bytes a doc", "Bytes of the index a document", weight),
    ...(all.some((r) => r.system !== null && systems.value[r.system]!.training.tasks["audited"])
      ? [{
          id: "training", title: "Training data", hint: "What audits on record say of it and the tasks; the page of the system says more",
          key: (r: Row) => (r.system === null ? null : trainingOf(r.system)), cell: (r: Row) => (r.system === null ? "–" : trainingOf(r.system)),
        }]
      : []),
    ...groups.value.map((g) => ({
      id: `in ${g.label}`, title: g.label, long: true, hint: `The mean over ${g.list.length} tasks`, number: true,
      key: (r: Row) => (r.system === null ? null : (g.numbers?.mean(r.system) ?? null)),
      cell: (r: Row) => score(r.system === null ? null : (g.numbers?.mean(r.system) ?? null)),
    })),
  ];
});

function trainingOf(system: number): string {
  const { state, risk, tasks: counts } = systems.value[system]!.training;
  return state === "audited" ? `${risk}, ${count(counts["audited"]!)} audited` : state;
}

const familyOf = (row: Row): string => (row.system === null ? "published" : systems.value[row.system]!.family);

function nameOf(row: Row) {
  if (row.system === null) return <span>{row.name}{row.published!.note && <small> {row.published!.note}</small>}</span>;
  const system = systems.value[row.system]!;
  const forms = isHead(row.system) ? variantsOf(row.system) : [];
  const toggle = () => {
    const [name, list] = [system.name, state.opened.value];
    state.opened.value = list.includes(name) ? list.filter((n) => n !== name) : [...list, name].sort();
  };
  return (
    <>
      {systemName(row.system)}
      {system.safeguards > 0 && <small> without {count(system.safeguards)} safeguards</small>}
      {forms.length > 0 && !state.unfolded.value && (
        <button type="button" class="fold" aria-expanded={isOpen(row.system)} onClick={toggle}>
          {forms.length} {forms.length === 1 ? "variant" : "variants"}
        </button>
      )}
    </>
  );
}

/** The rows of unfolded variants, made once for what is shown. */
const folded = computed(() => {
  const found = new Map<number, Row[]>();
  for (const s of shown.value) {
    const head = systems.value[s]!.head;
    if (head === s) continue;
    const rows = found.get(head);
    if (rows) rows.push(rowOf(s));
    else found.set(head, [rowOf(s)]);
  }
  return found;
});
const NO_ROWS: readonly Row[] = [];
const below = (row: Row): readonly Row[] => (row.system === null ? undefined : folded.value.get(row.system)) ?? NO_ROWS;

function Leaderboard() {
  const { complete: whole, incomplete, outside } = parts.value;
  const n = count(selected.value.length);
  const waiting = numbers.value === undefined;
  return (
    <>
      <Controls>
        <Choice
          label="Columns"
          value={state.columns.value}
          options={[["none", "the mean alone"], ["suite", "by suite"], ["language", "by language"], ["domain", "by domain"], ["shape", "by shape"]]}
          onChange={(value) => (state.columns.value = value)}
        />
        <Switch label="Show variants" at={state.unfolded} hint="Cheaper forms of the same encoding" />
        <Switch label="Shared tasks only" at={state.alike} hint="Only tasks that every shown system has" />
      </Controls>
      {waiting && <p role="status">Reading the numbers …</p>}
      <Grid
        caption={`Systems by ${measureName.value}`}
        columns={columns.value}
        usual="-mean"
        id={(row) => row.id}
        marked={(row) => row.system !== null && !isHead(row.system)}
        below={below}
        parts={[
          { rows: whole },
          {
            title: "Incomplete",
            note: <small>not on all {n} tasks, so not ranked; the mean is over those they have. “Shared tasks only” compares like with like.</small>,
            rows: incomplete,
          },
          {
            title: "Figures of others",
            note: <small>not measured here, without intervals; for the tasks among these that have them</small>,
            rows: outside,
          },
        ]}
      />
      {complete.value.length < 2 && !waiting && whole.length === 0 && (
        <p class="note">No system has a result for every one of these tasks. Filter tasks, or compare on shared tasks only.</p>
      )}
    </>
  );
}

export default {
  id: "table",
  label: "Leaderboard",
  order: 10,
  about: "Which system is best, and how surely.",
  Component: Leaderboard,
  sheet: () => {
    const [byHeads, direction] = [state.sort.value.replace(/^-/, "") || "mean", state.sort.value.startsWith("-") || !state.sort.value ? -1 : 1];
    const column = columns.value.find((c) => c.id === byHeads);
    const all = Object.entries(parts.value).flatMap(([state, rows]) =>
      sorted(rows, column, direction).flatMap((row) => [row, ...sorted(below(row), column, direction)].map((r) => [state, r] as const)),
    );
    return {
      name: `leaderboard ${measureName.value}`,
      columns: ["system", "state", "family", "best rank", "worst rank", measureName.value, "low", "high", "ceiling", "tasks", "parameters", "latency ms", "bytes a document", "training data", ...groups.value.map((g) => g.label)],
      rows: all.map(([state, r]) => {
        const s = r.system === null ? null : systems.value[r.system]!;
        return [
          r.name, state === "outside" ? "published" : state, familyOf(r), r.ranks[0] || null, r.ranks[1] || null, r.mean, r.low, r.high,
          r.ceiling, r.tasks, s?.parameters ?? null, s?.latency ?? null, s?.bytes ?? null, r.system === null ? null : trainingOf(r.system),
          ...groups.value.map((g) => (r.system === null ? null : (g.numbers?.mean(r.system) ?? null))),
        ];
      }),
    };
  },
} satisfies BoardView;

