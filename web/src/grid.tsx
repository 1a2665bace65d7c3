// A table whose columns sort: real rows and cells, headings that are buttons, `aria-sort` where it is sorted.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
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

const SOON = 60;

export function Grid<Row>({ caption, columns, parts, usual = "", id, marked, below }: Props<Row>) {
  const known = columns.some((c) => c.key && c.id === sort.value.replace(/^-/, ""));
  const order = known ? sort.value : usual;
  const [by, direction] = [order.replace(/^-/, ""), order.startsWith("-") ? -1 : 1];
  const column = columns.find((c) => c.id === by);
  const belowOf = (part: Part<Row>) => (below ? part.rows.reduce((sum, row) => sum + below(row).length, 0) : 0);
  const total = parts.reduce((sum, part) => sum + part.rows.length + belowOf(part), 0);
  const limit = useSoonAll(total, parts[0]?.rows);
  let left = limit;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((c) => (
              <Heading key={c.id} column={c} sorted={c.id === by ? direction : 0} />
            ))}
          </tr>
        </thead>
        {parts.map((part, i) => {
          const tops = sorted(part.rows, column, direction);
          const all = below ? tops.flatMap((row) => [row, ...sorted(below(row), column, direction)]) : tops;
          const rows = all.slice(0, Math.max(left, 0));
          left -= all.length;
          return (
            <tbody key={part.title ?? i}>
              {part.title !== undefined && part.rows.length > 0 && (
                <tr class="part">
                  <th colSpan={columns.length} scope="rowgroup">
                    {part.title} {part.note}
                  </th>
                </tr>
              )}
              {rows.map((row) => (
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
        })}
      </table>
    </div>
  );
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

/** The first screen of rows at once, the rest a moment later: no row stays away, and none is waited for. */
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
    const timer = setTimeout(() => setLimit(total), 60);
    return () => clearTimeout(timer);
  }, [now, limit, total]);
  return now;
}
