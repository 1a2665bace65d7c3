// Quality against what it costs, with the front that nobody beats on both.
import { computed } from "@preact/signals";
import { scaleLinear, scaleLog } from "d3-scale";
import { curveStepAfter, line } from "d3-shape";
import { measureName, numbers, passed, systems } from "../board";
import { Choice, Controls } from "../controls";
import { milliseconds, range, score, size, weight } from "../format";
import { front } from "../front";
import { Grid } from "../grid";
import { systemName } from "../parts";
import * as state from "../state";
import type { BoardView } from "../view";

type Kind = "latency" | "bytes" | "parameters";
const KINDS: Record<Kind, { label: string; text: (value: number | null) => string }> = {
  latency: { label: "latency a query", text: milliseconds },
  bytes: { label: "bytes a document", text: weight },
  parameters: { label: "parameters", text: size },
};

interface Point {
  system: number;
  cost: number;
  value: number;
  best: boolean;
}

const kind = computed((): Kind => (state.cost.value in KINDS ? (state.cost.value as Kind) : "latency"));

const points = computed((): Point[] | undefined => {
  const found = numbers.value;
  if (!found) return undefined;
  const known = passed.value.flatMap((s) => {
    const [cost, value] = [systems.value[s]![kind.value], found.mean(s)];
    return cost !== null && cost > 0 && !Number.isNaN(value) ? [{ system: s, cost, value }] : [];
  });
  const best = front(known);
  return known.map((point) => ({ ...point, best: best.has(point) }));
});

function Scatter({ list }: { list: readonly Point[] }) {
  const [width, height] = [820, 430];
  const text = KINDS[kind.value].text;
  const costs = list.map((p) => p.cost);
  const values = list.map((p) => p.value);
  const x = scaleLog([Math.min(...costs) / 1.3, Math.max(...costs) * 1.3], [60, width - 150]);
  const y = scaleLinear([Math.min(...values), Math.max(...values)], [height - 46, 16]).nice();
  const best = list.filter((p) => p.best).sort((a, b) => a.cost - b.cost);
  const path = line<Point>((p) => x(p.cost), (p) => y(p.value)).curve(curveStepAfter)(best);
  // 1, 2 and 5 times powers of ten, or the powers alone where those are enough.
  const leading = (t: number) => Math.round(t / 10 ** Math.floor(Math.log10(t) + 1e-9));
  const round = x.ticks(20).filter((t) => [1, 2, 5].includes(leading(t)));
  const ticks = round.length > 9 ? round.filter((t) => leading(t) === 1) : round;
  let lowest = Number.POSITIVE_INFINITY;
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={`${measureName.value} against ${KINDS[kind.value].label}; the table below has the numbers`}>
      {y.ticks(6).map((t) => (
        <g key={t}>
          <line class="axis" x1={56} x2={width - 140} y1={y(t)} y2={y(t)} />
          <text class="soft" x={50} y={y(t) + 4} text-anchor="end">{score(t, 2)}</text>
        </g>
      ))}
      {ticks.map((t) => (
        <text key={t} class="soft" x={x(t)} y={height - 26} text-anchor="middle">{text(t)}</text>
      ))}
      <text class="soft" x={(width - 90) / 2} y={height - 6} text-anchor="middle">{KINDS[kind.value].label}, less is better</text>
      {path && <path class="front-line" d={path} />}
      {list.map((p) => (
        <circle key={p.system} class={`dot ${p.best ? "front" : ""}`} cx={x(p.cost)} cy={y(p.value)} r={p.best ? 5 : 3.5}>
          <title>{`${systems.value[p.system]!.name}: ${score(p.value)} at ${text(p.cost)}`}</title>
        </circle>
      ))}
      {[...best].reverse().map((p) => {
        const at = y(p.value) + 4;
        const name = systems.value[p.system]!.name;
        // Labels of the front stand at the right of their point, and are left out where two would overlap.
        const free = Math.abs(at - lowest) >= 13;
        if (!free) return null;
        lowest = at;
        return <text key={p.system} class="label" x={x(p.cost) + 8} y={at - 10}>{name.length > 26 ? `${name.slice(0, 25)}…` : name}</text>;
      })}
    </svg>
  );
}

function Cost() {
  const list = points.value;
  const { label, text } = KINDS[kind.value];
  return (
    <>
      <Controls>
        <Choice label="Cost" value={kind.value} options={(Object.keys(KINDS) as Kind[]).map((k) => [k, KINDS[k].label] as const)} onChange={(value) => (state.cost.value = value)} />
      </Controls>
      {!list && <p role="status">Reading the numbers …</p>}
      {list && list.length === 0 && <p class="note">No complete system of this selection says its {label}.</p>}
      {list && list.length > 0 && (
        <>
          <div class="scroll" tabIndex={0} role="region" aria-label="Chart of quality and cost">
            <Scatter list={list} />
          </div>
          <Grid
            caption={`${measureName.value} and ${label}; on the front nothing is both cheaper and better`}
            id={(p) => p.system}
            usual="cost"
            columns={[
              { id: "system", title: "System", heads: true, key: (p) => systems.value[p.system]!.name, cell: (p) => systemName(p.system) },
              { id: "cost", title: label, number: true, key: (p) => p.cost, cell: (p) => text(p.cost) },
              { id: "value", title: measureName.value, number: true, key: (p) => p.value, cell: (p) => <b>{score(p.value)}</b> },
              { id: "interval", title: "95 % interval", cell: (p) => range(numbers.value!.low(p.system), numbers.value!.high(p.system)) },
              { id: "front", title: "Front", key: (p) => Number(!p.best), cell: (p) => (p.best ? "on the front" : "") },
            ]}
            parts={[{ rows: list }]}
          />
          <p class="note">
            Latency is that of one query, the median over tasks; it belongs to the machine that ran it. Bytes are those of the index. Points on the front may lie within each other's intervals: the cheaper of two that are not distinguished is the better buy.
          </p>
        </>
      )}
    </>
  );
}

export default {
  id: "cost",
  label: "Cost",
  order: 40,
  about: "What quality costs, and which systems are the best buy.",
  Component: Cost,
  sheet: () =>
    points.value
      ? {
          name: `cost ${kind.value} ${measureName.value}`,
          columns: ["system", KINDS[kind.value].label + (kind.value === "latency" ? " ms" : ""), measureName.value, "low", "high", "front"],
          rows: points.value.map((p) => [systems.value[p.system]!.name, p.cost, p.value, numbers.value!.low(p.system), numbers.value!.high(p.system), p.best ? "yes" : ""]),
        }
      : null,
} satisfies BoardView;
