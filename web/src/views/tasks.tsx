// Systems by tasks: a strip of colours for the eye, and every number in a table beneath it.
import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { bestFirst, cells, meanAt, measureName, numbers, numbersOf, selected, shown, systems, tasks } from "../board";
import { Choice, Controls, Switch } from "../controls";
import { count, range, score, signed } from "../format";
import { Grid, type Column } from "../grid";
import { systemName, taskName } from "../parts";
import * as state from "../state";
import type { BoardView } from "../view";

const rows = computed(() => bestFirst(shown.value, numbers.value));
const TASKS_A_PAGE = 8;
const page = signal(0);
const pointed = signal("");

/** What a cell is coloured by: its value, or how far it lies from the middle of the systems on that task. */
const colours = computed(() => {
  const here = cells.value;
  if (!here) return undefined;
  const list = selected.value;
  const systemsShown = rows.value;
  const middles = list.map((t) => {
    const known = systemsShown.map((s) => meanAt(here, t, s)).filter((v) => !Number.isNaN(v)).sort((a, b) => a - b);
    return known.length === 0 ? 0 : (known[known.length >> 1]! + known[(known.length - 1) >> 1]!) / 2;
  });
  return (system: number, place: number): [number, number] => {
    const value = meanAt(here, list[place]!, system);
    return [value, value - middles[place]!];
  };
});

/** From pale to full for values; two colours that differ also in lightness for what is below and above the middle. */
function paint(value: number, gap: number, relative: boolean): string {
  if (Number.isNaN(value)) return "rgba(128,128,128,.12)";
  if (!relative) return `hsl(170 55% ${Math.round(92 - 66 * value)}%)`;
  const strength = Math.min(Math.abs(gap) / 0.3, 1);
  return gap >= 0 ? `hsl(170 60% ${Math.round(90 - 60 * strength)}%)` : `hsl(18 75% ${Math.round(90 - 45 * strength)}%)`;
}

function Strip({ system }: { system: number }) {
  const at = useRef<HTMLCanvasElement>(null);
  const list = selected.value;
  const colour = colours.value;
  const relative = state.colour.value === "gap";
  useEffect(() => {
    const canvas = at.current;
    const context = canvas?.getContext("2d");
    if (!canvas || !context || !colour) return;
    const width = Math.max(2, Math.min(24, Math.floor(1200 / list.length)));
    canvas.width = width * list.length;
    canvas.height = 1;
    list.forEach((_, i) => {
      const [value, gap] = colour(system, i);
      context.fillStyle = paint(value, gap, relative);
      context.fillRect(i * width, 0, width > 3 ? width - 1 : width, 1);
    });
  }, [system, list, colour, relative]);
  const point = (e: MouseEvent) => {
    const box = (e.currentTarget as HTMLElement).getBoundingClientRect();
    const place = Math.min(list.length - 1, Math.max(0, Math.floor(((e.clientX - box.left) / box.width) * list.length)));
    const [value, gap] = colour?.(system, place) ?? [Number.NaN, Number.NaN];
    pointed.value = `${systems.value[system]!.name} on ${tasks.value[list[place]!]!.name}: ${score(value)}, ${signed(gap)} from the middle of the systems`;
  };
  return <canvas ref={at} class="strip" aria-hidden="true" onMouseMove={point} />;
}

const columns = computed((): Column<number>[] => {
  const list = selected.value.slice(page.value * TASKS_A_PAGE, (page.value + 1) * TASKS_A_PAGE);
  return [
    { id: "system", title: "System", heads: true, key: (s) => systems.value[s]!.name, cell: (s) => systemName(s) },
    ...list.map((t): Column<number> => {
      const own = numbersOf([t]);
      return {
        id: `on ${tasks.value[t]!.name}`,
        title: tasks.value[t]!.name,
        hint: `${tasks.value[t]!.queries} queries`,
        long: true,
        number: true,
        key: (s) => own?.mean(s) ?? null,
        cell: (s) => (own ? <>{score(own.mean(s))} <small>{range(own.low(s), own.high(s))}</small></> : "…"),
      };
    }),
  ];
});

function Tasks() {
  const pages = Math.max(1, Math.ceil(selected.value.length / TASKS_A_PAGE));
  if (page.value >= pages) page.value = 0;
  const [from, to] = [page.value * TASKS_A_PAGE + 1, Math.min(selected.value.length, (page.value + 1) * TASKS_A_PAGE)];
  return (
    <>
      <Controls>
        <Choice
          label="Colour"
          value={state.colour.value}
          options={[["value", "the value, darker is higher"], ["gap", "green above, red below the middle"]]}
          onChange={(value) => (state.colour.value = value)}
        />
        <Switch label="Show variants" at={state.unfolded} />
        <Switch label="Shared tasks only" at={state.alike} />
      </Controls>
      <div class="scroll" tabIndex={0} role="region" aria-label="Strips of tasks">
        <table class="strips">
          <caption>One strip a system, best first; one field a task, by name. The numbers are in the table below.</caption>
          <thead><tr><th scope="col">System</th><th scope="col">{count(selected.value.length)} tasks</th></tr></thead>
          <tbody>
            {rows.value.map((s) => (
              <tr key={s}>
                <th scope="row">{systemName(s)}</th>
                <td><Strip system={s} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="note">{pointed.value || "Point at a field to read it."}</p>
      <div class="line">
        <button type="button" disabled={page.value === 0} onClick={() => (page.value -= 1)}>Earlier tasks</button>
        <span role="status">Tasks {from} to {to} of {count(selected.value.length)}</span>
        <button type="button" disabled={page.value + 1 >= pages} onClick={() => (page.value += 1)}>Later tasks</button>
      </div>
      <Grid caption={`${measureName.value} on each task, with 95 % intervals`} columns={columns.value} id={(s) => s} parts={[{ rows: rows.value }]} />
      <h2>The tasks</h2>
      <Grid
        caption="Tasks of the selection"
        id={(t) => t}
        columns={[
          { id: "task", title: "Task", heads: true, key: (t) => tasks.value[t]!.name, cell: (t) => taskName(t) },
          { id: "language", title: "Language", key: (t) => tasks.value[t]!.language, cell: (t) => tasks.value[t]!.language },
          { id: "domain", title: "Domain", key: (t) => tasks.value[t]!.domains.join(", "), cell: (t) => tasks.value[t]!.domains.join(", ") },
          { id: "shape", title: "Shape", key: (t) => tasks.value[t]!.shape, cell: (t) => tasks.value[t]!.shape ?? "–" },
          { id: "queries", title: "Queries", number: true, key: (t) => tasks.value[t]!.queries, cell: (t) => count(tasks.value[t]!.queries) },
          { id: "documents", title: "Documents", number: true, key: (t) => tasks.value[t]!.documents, cell: (t) => count(tasks.value[t]!.documents) },
          { id: "audited", title: "Leakage audit", key: (t) => Number(tasks.value[t]!.audited), cell: (t) => (tasks.value[t]!.audited ? "audited" : "not audited") },
        ]}
        parts={[{ rows: selected.value }]}
      />
    </>
  );
}

export default {
  id: "tasks",
  label: "Tasks",
  order: 20,
  about: "Where each system is strong and where it is weak.",
  Component: Tasks,
  sheet: () => {
    const here = cells.value;
    if (!here) return null;
    return {
      name: `tasks ${measureName.value}`,
      columns: ["system", ...selected.value.map((t) => tasks.value[t]!.name)],
      rows: rows.value.map((s) => [systems.value[s]!.name, ...selected.value.map((t) => meanAt(here, t, s))]),
    };
  },
} satisfies BoardView;
