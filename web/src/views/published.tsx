// The published figures of every published task, with our own runs beside them where there are any.
import { computed } from "@preact/signals";
import { cells, core, meanAt, measureName, shown, systemNamed, systems, taskPasses, tasks } from "../board";
import { Choice, Controls } from "../controls";
import { count, score, signed } from "../format";
import { Grid, type Column } from "../grid";
import { taskName } from "../parts";
import { figure, hasPublished, labelOf, PROFILES } from "../published";
import * as state from "../state";
import type { BoardView } from "../view";

const BEST = "the best on each task";

interface Row {
  task: number;
  own: number | null;
  system: number | null;
}

const chosen = computed(() => systemNamed(state.first.value, -1));

const rows = computed((): Row[] => {
  const here = cells.value;
  const measured = new Set(core.value!.measured);
  return tasks.value.flatMap((t, task) => {
    if (!t.published || !taskPasses(t)) return [];
    if (!here || !measured.has(task)) return [{ task, own: null, system: null }];
    const among = chosen.value >= 0 ? [chosen.value] : shown.value;
    const known = among.map((s) => [meanAt(here, task, s), s] as const).filter(([v]) => !Number.isNaN(v));
    const best = known.sort((a, b) => b[0] - a[0] || a[1] - b[1])[0];
    return [{ task, own: best?.[0] ?? null, system: best?.[1] ?? null }];
  });
});

const measured = computed(() => rows.value.filter((r) => r.own !== null));

const columns = computed((): Column<Row>[] => {
  const of = (r: Row) => tasks.value[r.task]!;
  const gap = (r: Row) => {
    const dense = figure(of(r).published, "dense", measureName.value);
    return r.own === null || dense === null ? null : r.own - dense;
  };
  return [
    { id: "task", title: "Task", heads: true, key: (r) => of(r).name, cell: (r) => taskName(r.task) },
    { id: "language", title: "Language", key: (r) => of(r).language, cell: (r) => of(r).language },
    { id: "domain", title: "Domain", key: (r) => of(r).domains.join(", "), cell: (r) => of(r).domains.join(", ") },
    { id: "queries", title: "Queries", number: true, key: (r) => of(r).queries, cell: (r) => count(of(r).queries) },
    { id: "documents", title: "Documents", number: true, key: (r) => of(r).documents, cell: (r) => count(of(r).documents) },
    ...PROFILES.map((profile): Column<Row> => ({
      id: profile,
      title: labelOf(profile),
      number: true,
      key: (r) => figure(of(r).published, profile, measureName.value),
      cell: (r) => score(figure(of(r).published, profile, measureName.value)),
    })),
    { id: "own", title: "Measured here", number: true, key: (r) => r.own, cell: (r) => <b>{score(r.own)}</b> },
    { id: "system", title: "By", key: (r) => (r.system === null ? null : systems.value[r.system]!.name), cell: (r) => (r.system === null ? "–" : systems.value[r.system]!.name) },
    { id: "gap", title: "Less published dense", number: true, key: gap, cell: (r) => signed(gap(r)) },
    { id: "audited", title: "Leakage audit", key: (r) => Number(of(r).audited), cell: (r) => (of(r).audited ? "audited" : "not audited") },
  ];
});

function PublishedTasks() {
  return (
    <>
      <Controls every>
        <Choice
          label="Measured here"
          value={chosen.value >= 0 ? systems.value[chosen.value]!.name : ""}
          options={[["", BEST], ...shown.value.map((s) => [systems.value[s]!.name, systems.value[s]!.name] as const)]}
          onChange={(value) => (state.first.value = value)}
        />
      </Controls>
      <p>
        {count(rows.value.length)} published tasks, {count(measured.value.length)} of them measured here.
        {!hasPublished(measureName.value) && " There are published figures for nDCG@10, hit@10 and R@100 only."}
        {measureName.value === "R@100" && " Published recall is pooled over queries; ours is the mean over queries, so the two differ where queries have several positives."}
      </p>
      <Grid caption={`Published figures and our own, ${measureName.value}`} id={(r) => r.task} usual="-own" columns={columns.value} parts={[{ rows: rows.value }]} />
    </>
  );
}

export default {
  id: "published",
  label: "Published",
  order: 70,
  about: "Published figures of all published tasks beside our own. They were not measured here.",
  Component: PublishedTasks,
  sheet: () => ({
    name: `published ${measureName.value}`,
    columns: ["task", "suite", "language", "domain", "queries", "documents", ...PROFILES.map(labelOf), "measured here", "by"],
    rows: rows.value.map((r) => {
      const t = tasks.value[r.task]!;
      return [t.name, t.suite, t.language, t.domains.join(", "), t.queries, t.documents, ...PROFILES.map((p) => figure(t.published, p, measureName.value)), r.own, r.system === null ? null : systems.value[r.system]!.name];
    }),
  }),
} satisfies BoardView;
