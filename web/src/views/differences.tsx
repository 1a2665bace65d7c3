// Differences against one system, paired query by query: a forest plot, and the same as a table.
import { computed } from "@preact/signals";
import { scaleLinear } from "d3-scale";
import { bestFirst, differences, numbers, selected, shown, systemNamed, systems, measureName, paired } from "../board";
import { holm, surelyOrdered, type Difference } from "../closed";
import { Choice, Controls, Switch } from "../controls";
import { p, signed } from "../format";
import { Grid } from "../grid";
import { systemName } from "../parts";
import * as state from "../state";
import type { BoardView } from "../view";

const ordered = computed(() => bestFirst(shown.value, numbers.value));
const base = computed(() => systemNamed(state.baseline.value, ordered.value[0] ?? 0));

interface Row extends Difference {
  system: number;
  corrected: number;
  side: -1 | 0 | 1;
}

const rows = computed((): Row[] | undefined => {
  const between = differences(selected.value, state.micro.value);
  if (!between) return undefined;
  const found = ordered.value.flatMap((s) => {
    const d = s === base.value ? undefined : between(s, base.value);
    return d ? [{ system: s, ...d, side: surelyOrdered(d), corrected: 1 }] : [];
  });
  const corrected = holm(found.map((r) => r.p));
  return found.map((r, i) => ({ ...r, corrected: corrected[i]! })).sort((a, b) => b.gap - a.gap);
});

const side = (row: Row) => (row.side > 0 ? "better" : row.side < 0 ? "worse" : "");
const said = (row: Row) => (row.side > 0 ? "better" : row.side < 0 ? "worse" : "not distinguished");

function Forest({ list }: { list: readonly Row[] }) {
  const [left, width, step] = [250, 760, 22];
  const ends = list.flatMap((r) => [r.low, r.high]);
  const x = scaleLinear([Math.min(-0.01, ...ends), Math.max(0.01, ...ends)], [left + 10, width - 70]).nice(6);
  const height = list.length * step + 34;
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={`Differences against ${systems.value[base.value]!.name}; the table below has the numbers`}>
      {x.ticks(6).map((tick) => (
        <g key={tick}>
          <line class="axis" x1={x(tick)} x2={x(tick)} y1={0} y2={height - 26} />
          <text class="soft" x={x(tick)} y={height - 8} text-anchor="middle">{signed(tick, 2)}</text>
        </g>
      ))}
      <line class="zero" x1={x(0)} x2={x(0)} y1={0} y2={height - 26} />
      {list.map((r, i) => {
        const y = i * step + step / 2 + 2;
        const name = systems.value[r.system]!.name;
        return (
          <g key={r.system}>
            <title>{`${name}: ${signed(r.gap)}, ${said(r)}`}</title>
            <text x={left - 6} y={y + 4} text-anchor="end">{name.length > 36 ? `${name.slice(0, 35)}…` : name}</text>
            <line class={`whisker ${side(r)}`} x1={x(r.low)} x2={x(r.high)} y1={y} y2={y} />
            <circle class={`dot ${side(r)}`} cx={x(r.gap)} cy={y} r={4} />
            <text x={width - 60} y={y + 4}>{signed(r.gap)}</text>
          </g>
        );
      })}
    </svg>
  );
}

function Differences() {
  const list = rows.value;
  const name = systems.value[base.value]?.name ?? "";
  const left = ordered.value.filter((s) => s !== base.value && !list?.some((r) => r.system === s));
  return (
    <>
      <Controls>
        <Choice
          label="Against"
          value={name}
          options={ordered.value.filter((s) => !Number.isNaN(numbers.value?.mean(s) ?? 0)).map((s) => systems.value[s]!.name)}
          onChange={(value) => (state.baseline.value = value)}
        />
        <Switch label="Show variants" at={state.unfolded} />
        <Switch label="Shared tasks only" at={state.alike} />
      </Controls>
      {!list && <p role="status">Reading the numbers …</p>}
      {list && list.length > 0 && (
        <>
          <div class="scroll" tabIndex={0} role="region" aria-label="Chart of differences">
            <Forest list={list.slice(0, 120)} />
          </div>
          <Grid
            caption={`${measureName.value}, less that of ${name}`}
            id={(r) => r.system}
            usual="-gap"
            columns={[
              { id: "system", title: "System", heads: true, key: (r) => systems.value[r.system]!.name, cell: (r) => systemName(r.system) },
              { id: "gap", title: "Difference", number: true, key: (r) => r.gap, cell: (r) => <b class={side(r)}>{signed(r.gap)}</b> },
              { id: "low", title: "95 % interval", cell: (r) => `${signed(r.low)} to ${signed(r.high)}` },
              { id: "p", title: "p", number: true, key: (r) => r.p, cell: (r) => p(r.p) },
              { id: "holm", title: "p, Holm", hint: "Corrected for all differences shown here", number: true, key: (r) => r.corrected, cell: (r) => p(r.corrected) },
              { id: "said", title: "Verdict", key: (r) => r.corrected <= 0.05 ? said(r) : "not shown", cell: (r) => (r.corrected <= 0.05 ? said(r) : "not shown after correction") },
            ]}
            parts={[{ rows: list }]}
          />
        </>
      )}
      {list && left.length > 0 && (
        <p class="note">
          Without a comparison: {left.map((s) => systems.value[s]!.name).join(", ")}.{" "}
          {left.some((s) => !paired(s, base.value))
            ? "On a board of this size a variant is compared with its own retriever only; choose that as the baseline."
            : "They lack results on some of these tasks; “Shared tasks only” compares like with like."}
        </p>
      )}
      <p class="note">
        Intervals follow the resampling of `hakari compare` in closed form; p-values are Student's, over the differences of single queries. `hakari compare` has the randomisation test, and says what these queries could have shown.
      </p>
    </>
  );
}

export default {
  id: "differences",
  label: "Differences",
  order: 30,
  about: "Who differs from one system, and whether the queries show it.",
  Component: Differences,
  sheet: () =>
    rows.value
      ? {
          name: `differences ${measureName.value}`,
          columns: ["system", "against", "difference", "low", "high", "p", "p holm"],
          rows: rows.value.map((r) => [systems.value[r.system]!.name, systems.value[base.value]!.name, r.gap, r.low, r.high, r.p, r.corrected]),
        }
      : null,
} satisfies BoardView;

