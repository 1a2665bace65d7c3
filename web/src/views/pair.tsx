// Two systems side by side: on each task, on each query of one, and the best documents of both for a query.
import { computed } from "@preact/signals";
import { bestFirst, cells, core, differenceOf, meanAt, measureName, measureNumber, numbers, selected, shown, systemNamed, systems, tasks } from "../board";
import { surelyOrdered } from "../closed";
import { Choice, Controls, Switch } from "../controls";
import { queriesOf, share, textsOf } from "../data";
import { count, score, signed } from "../format";
import { Grid } from "../grid";
import { Side } from "../query";
import * as state from "../state";
import type { BoardView } from "../view";

const ordered = computed(() => bestFirst(shown.value, numbers.value));
const a = computed(() => systemNamed(state.first.value, ordered.value[0] ?? 0));
const b = computed(() => systemNamed(state.second.value, ordered.value.find((s) => s !== a.value) ?? 0));

/** Tasks on which both were weighed. */
const shared = computed(() => {
  const here = cells.value;
  return here ? selected.value.filter((t) => !Number.isNaN(meanAt(here, t, a.value) + meanAt(here, t, b.value))) : [];
});
const open = computed(() => shared.value.find((t) => tasks.value[t]!.name === state.task.value) ?? shared.value[0]);

interface Query {
  row: number;
  id: string;
  text: string;
  a: number;
  b: number;
}

const queries = computed((): Query[] | undefined => {
  const task = open.value;
  if (task === undefined) return undefined;
  const told = queriesOf(task);
  if (!told) return undefined;
  const texts = told.texts ? textsOf(task) : undefined;
  const places = [a.value, b.value].map((s) => told.systems.indexOf(s));
  if (places.some((p) => p < 0)) return [];
  const [n, wide] = [told.queries.length, told.systems.length];
  const at = (place: number, q: number) => share(told.values[(measureNumber.value * wide + place) * n + q]);
  return told.queries.map((id, row) => ({
    row, id, text: texts?.queries[row] ?? "", a: at(places[0]!, row), b: at(places[1]!, row),
  }));
});

const tally = (list: readonly Query[]) =>
  `${count(list.filter((q) => q.a > q.b).length)} better, ${count(list.filter((q) => q.a === q.b).length)} equal, ${count(list.filter((q) => q.a < q.b).length)} worse`;

function TaskTable() {
  const between = (t: number) => differenceOf(a.value, b.value, [t], false);
  const here = cells.value!;
  return (
    <Grid
      caption={`${systems.value[a.value]!.name} less ${systems.value[b.value]!.name} on the tasks that both have`}
      id={(t) => t}
      marked={(t) => t === open.value}
      columns={[
        { id: "task", title: "Task", heads: true, key: (t) => tasks.value[t]!.name, cell: (t) => (
          <button type="button" class="pick" aria-pressed={t === open.value} onClick={() => { state.task.value = tasks.value[t]!.name; state.query.value = ""; }}>{tasks.value[t]!.name}</button>
        ) },
        { id: "a", title: "A", number: true, key: (t) => meanAt(here, t, a.value), cell: (t) => score(meanAt(here, t, a.value)) },
        { id: "b", title: "B", number: true, key: (t) => meanAt(here, t, b.value), cell: (t) => score(meanAt(here, t, b.value)) },
        { id: "gap", title: "A less B", number: true, key: (t) => meanAt(here, t, a.value) - meanAt(here, t, b.value), cell: (t) => <b>{signed(meanAt(here, t, a.value) - meanAt(here, t, b.value))}</b> },
        { id: "interval", title: "95 % interval", cell: (t) => {
          const d = between(t);
          return d ? <span class={["worse", "", "better"][surelyOrdered(d) + 1]}>{signed(d.low)} to {signed(d.high)}</span> : "–";
        } },
      ]}
      parts={[{ rows: shared.value }]}
    />
  );
}

function QueryTable({ list }: { list: readonly Query[] }) {
  const excerpt = (text: string) => (text.length > 140 ? `${text.slice(0, 140)}…` : text);
  return (
    <Grid
      caption={`The ${count(list.length)} queries of ${tasks.value[open.value!]!.name}, ${measureName.value}: ${tally(list)}`}
      id={(q) => q.row}
      usual="-gap"
      marked={(q) => q.id === state.query.value}
      columns={[
        { id: "query", title: "Query", heads: true, key: (q) => q.id, cell: (q) => (
          <button type="button" class="pick" aria-pressed={q.id === state.query.value} onClick={() => (state.query.value = q.id)}>{q.id}</button>
        ) },
        { id: "a", title: "A", number: true, key: (q) => q.a, cell: (q) => score(q.a) },
        { id: "b", title: "B", number: true, key: (q) => q.b, cell: (q) => score(q.b) },
        { id: "gap", title: "A less B", number: true, key: (q) => q.a - q.b, cell: (q) => <b class={q.a > q.b ? "better" : q.a < q.b ? "worse" : ""}>{signed(q.a - q.b)}</b> },
        { id: "text", title: "Text", cell: (q) => <span class="wrap" dir="auto">{excerpt(q.text)}</span> },
      ]}
      parts={[{ rows: list }]}
    />
  );
}

function OneQuery({ chosen }: { chosen: Query }) {
  const task = open.value!;
  const told = queriesOf(task)!;
  const texts = told.texts ? textsOf(task) : undefined;
  return (
    <section aria-label={`Query ${chosen.id}`}>
      <h2>Query {chosen.id}</h2>
      {texts ? (
        <>
          <pre class="asked" dir="auto">{chosen.text}</pre>
          {texts.query_lengths[chosen.row]! > chosen.text.length && <p class="note">{count(texts.query_lengths[chosen.row]!)} characters in all.</p>}
        </>
      ) : (
        <p class="note">
          {told.texts ? "Reading the texts …" : "The texts of this task were not at hand when the board was made, so only ids are shown."}
        </p>
      )}
      <div class="pair">
        <Side system={a.value} letter="A" value={chosen.a} row={chosen.row} told={told} texts={texts} />
        <Side system={b.value} letter="B" value={chosen.b} row={chosen.row} told={told} texts={texts} />
      </div>
    </section>
  );
}

function Pair() {
  const names = ordered.value.map((s) => systems.value[s]!.name);
  const list = queries.value;
  const chosen = list?.find((q) => q.id === state.query.value);
  const swap = () => {
    [state.first.value, state.second.value] = [systems.value[b.value]!.name, systems.value[a.value]!.name];
  };
  return (
    <>
      <Controls>
        <Choice label="A" value={systems.value[a.value]!.name} options={names} onChange={(name) => (state.first.value = name)} />
        <Choice label="B" value={systems.value[b.value]!.name} options={names} onChange={(name) => (state.second.value = name)} />
        <button type="button" onClick={swap}>Swap</button>
        <Switch label="Show variants" at={state.unfolded} />
      </Controls>
      {!cells.value && <p role="status">Reading the numbers …</p>}
      {cells.value && shared.value.length === 0 && <p class="note">These two have no task of this selection in common.</p>}
      {shared.value.length > 0 && <TaskTable />}
      {open.value !== undefined && !list && <p role="status">Reading the queries of {tasks.value[open.value]!.name} …</p>}
      {chosen && <OneQuery chosen={chosen} />}
      {list && list.length > 0 && <QueryTable list={list} />}
      {list && list.length === 0 && <p class="note">On a board of this size variants cannot be opened down to their queries; choose the retrievers themselves.</p>}
    </>
  );
}

export default {
  id: "pair",
  label: "Side by side",
  order: 60,
  about: "Two systems on the same tasks, down to each query and what both found for it.",
  Component: Pair,
  sheet: () => {
    const list = queries.value;
    if (!list || open.value === undefined) return null;
    return {
      name: `${tasks.value[open.value]!.name} ${measureName.value} of ${core.value!.title}`,
      columns: ["query", systems.value[a.value]!.name, systems.value[b.value]!.name, "difference", "text"],
      rows: list.map((q) => [q.id, q.a, q.b, q.a - q.b, q.text]),
    };
  },
} satisfies BoardView;
