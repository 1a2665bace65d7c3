// A table whose columns sort: real rows and cells, headings that are buttons, `aria-sort` where it is sorted.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren, VNode } from "preact";
import { sort } from "./state";

export interface Column<Row> {
  id: string;
  title: string;
  /** What the heading means, in a few words. */
  hint?: string;
  number?: boolean;
  /** Whether the heading is a name that may be broken anywhere. */
  long?: boolean;
  /** What rows are sorted by; a column without it does not sort. */
  key?: (row: Row) => number | string | null;
  cell: (row: Row) => ComponentChildren;
  /** Whether cells of this column name their row. */
  heads?: boolean;
}

export interface Part<Row> {
  title?: string;
  note?: ComponentChildren;
  rows: readonly Row[];
}

interface Props<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  parts: readonly Part<Row>[];
  /** How rows lie before a heading was pressed: the column and its direction. */
  usual?: string;
  id: (row: Row) => string | number;
  marked?: (row: Row) => boolean;
  /** Rows that belong below a row wherever it is sorted to. */
  below?: (row: Row) => readonly Row[];
}

/** Rows that are drawn at once, and those that follow with each step. */
const SOON = 60;
const STEP = 150;

export function Grid<Row>({ caption, columns, parts, usual = "", id, marked, below }: Props<Row>) {
  const known = columns.some((c) => c.key && c.id === sort.value.replace(/^-/, ""));
  const order = known ? sort.value : usual;
  const [by, direction] = [order.replace(/^-/, ""), order.startsWith("-") ? -1 : 1];
  const column = columns.find((c) => c.id === by);
  const belowOf = (part: Part<Row>) => (below ? part.rows.reduce((sum, row) => sum + below(row).length, 0) : 0);
  const total = parts.reduce((sum, part) => sum + part.rows.length + belowOf(part), 0);
  const limit = useSoonAll(total, parts[0]?.rows);
  const orders = useOrders<Row>();
  const kept = useRef(new Map<string, Kept<Row>>()).current;
  let done = 0;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table class={limit < total ? "coming" : undefined}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((c) => (
              <Heading key={c.id} column={c} sorted={c.id === by ? direction : 0} />
            ))}
          </tr>
        </thead>
        {parts.map((part, i) => {
          const all = orders(i, part, column, direction, below);
          const start = done;
          done += all.length;
          const head = part.title === undefined || all.length === 0 ? null : part;
          return pieces(all.length).map(([from, to]) => {
            const key = `${part.title ?? i} ${from}`;
            const props = { all, from, to, columns, id, marked, head: from === 0 ? head : null, later: start + from >= SOON };
            return start + from < limit ? piece(kept, key, props) : kept.get(key)?.drawn;
          });
        })}
      </table>
    </div>
  );
}

interface PieceProps<Row> {
  all: readonly Row[];
  from: number;
  to: number;
  columns: readonly Column<Row>[];
  id: (row: Row) => string | number;
  marked: ((row: Row) => boolean) | undefined;
  /** The part that begins with it, where that has a title. */
  head: Part<Row> | null;
  /** Whether it is below the first screen: not seen until all of it is there. */
  later: boolean;
}

interface Kept<Row> {
  props: PieceProps<Row>;
  drawn: VNode;
}

/** Some rows of a part. */
function Piece<Row>({ all, from, to, columns, id, marked, head, later }: PieceProps<Row>) {
  return (
    <tbody class={later ? "later" : undefined}>
      {head && (
        <tr class="part">
          <th colSpan={columns.length} scope="rowgroup">
            {head.title} {head.note}
          </th>
        </tr>
      )}
      {all.slice(from, to).map((row) => (
        <tr key={id(row)} class={marked?.(row) ? "marked" : undefined}>
          {columns.map((c) =>
            c.heads ? (
              <th key={c.id} scope="row">
                {c.cell(row)}
              </th>
            ) : (
              <td key={c.id} class={c.number ? "number" : undefined}>
                {c.cell(row)}
              </td>
            ),
          )}
        </tr>
      ))}
    </tbody>
  );
}

/** The same node again where nothing of it changed: rows that are drawn already are not looked at a second time. */
function piece<Row>(kept: Map<string, Kept<Row>>, key: string, props: PieceProps<Row>): VNode {
  const before = kept.get(key);
  if (before && (Object.keys(props) as (keyof PieceProps<Row>)[]).every((name) => before.props[name] === props[name]))
    return before.drawn;
  const drawn = <Piece key={key} {...props} />;
  kept.set(key, { props, drawn });
  return drawn;
}

/** Where the pieces of some rows begin and end: the first screen, then steps. */
function pieces(rows: number): [number, number][] {
  const found: [number, number][] = [];
  for (let from = 0; from < rows; ) {
    const to = Math.min(rows, from === 0 ? SOON : from + STEP);
    found.push([from, to]);
    from = to;
  }
  return found;
}

/** Rows of parts in the order that was asked for, made anew only when something of it changed. */
function useOrders<Row>() {
  const known = useRef(new Map<number, { from: readonly unknown[]; rows: readonly Row[] }>()).current;
  return (
    place: number,
    part: Part<Row>,
    column: Column<Row> | undefined,
    direction: number,
    below: ((row: Row) => readonly Row[]) | undefined,
  ): readonly Row[] => {
    const tops = part.rows;
    const under = below ? tops.map(below) : [];
    const from = [tops, column, direction, ...under];
    const before = known.get(place);
    if (before && before.from.length === from.length && before.from.every((value, i) => value === from[i])) return before.rows;
    const ordered = sorted(tops, column, direction);
    const rows = below ? ordered.flatMap((row) => [row, ...sorted(below(row), column, direction)]) : ordered;
    known.set(place, { from, rows });
    return rows;
  };
}

function Heading<Row>({ column, sorted }: { column: Column<Row>; sorted: number }) {
  const press = () => {
    // Numbers are wanted largest first, names from a to z; a second press turns the order round.
    const first = column.number ? `-${column.id}` : column.id;
    const other = column.number ? column.id : `-${column.id}`;
    const now = sorted === 0 ? "" : sorted < 0 ? `-${column.id}` : column.id;
    sort.value = now === first ? other : first;
  };
  return (
    <th
      scope="col"
      class={[column.number ? "number" : "", column.long ? "long" : ""].join(" ").trim() || undefined}
      aria-sort={sorted === 0 ? undefined : sorted > 0 ? "ascending" : "descending"}
      title={column.hint}
    >
      {column.key ? (
        <button type="button" class="sorter" onClick={press}>
          {column.title}
          <span aria-hidden="true" class="arrow">
            {sorted === 0 ? "" : sorted > 0 ? "▲" : "▼"}
          </span>
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}

/** Rows in the order of a column; those without a value last, equal ones as they were. */
export function sorted<Row>(rows: readonly Row[], column: Column<Row> | undefined, direction: number): Row[] {
  const key = column?.key;
  if (!key) return [...rows];
  const keyed = rows.map((row) => [key(row), row] as const);
  const missing = (value: number | string | null) => value === null || (typeof value === "number" && Number.isNaN(value));
  return keyed
    .sort(([a], [b]) => {
      if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b));
      return (a! < b! ? -1 : a! > b! ? 1 : 0) * direction;
    })
    .map(([, row]) => row);
}

/** The first screen of rows at once, the others step by step: none stays away, and no step is long. */
function useSoonAll(total: number, rows: unknown): number {
  const [limit, setLimit] = useState(SOON);
  const before = useRef(rows);
  // New rows begin with the first screen again, but never under the eyes of someone who is further down.
  const fresh = before.current !== rows && scrollY < innerHeight / 2;
  before.current = rows;
  const now = fresh ? SOON : limit;
  useEffect(() => {
    if (now !== limit) setLimit(now);
    if (now >= total) return;
    const timer = setTimeout(() => setLimit(now + STEP), 0);
    const whole = () => setLimit(total);
    addEventListener("beforeprint", whole);
    return () => {
      clearTimeout(timer);
      removeEventListener("beforeprint", whole);
    };
  }, [now, limit, total]);
  return now;
}
