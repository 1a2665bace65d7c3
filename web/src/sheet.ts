// What a view shows as plain rows: for a file of comma-separated values, and for Markdown.

export type Value = string | number | null;

export interface Sheet {
  name: string;
  columns: string[];
  rows: Value[][];
}

/** Comma-separated values. What a spreadsheet would run as a formula is made text by an apostrophe. */
export function csv(sheet: Sheet): string {
  const cell = (value: Value): string => {
    if (value === null || (typeof value === "number" && Number.isNaN(value))) return "";
    if (typeof value === "number") return String(value);
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [sheet.columns, ...sheet.rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

export function markdown(sheet: Sheet): string {
  const cell = (value: Value): string => {
    if (value === null || (typeof value === "number" && Number.isNaN(value))) return "–";
    if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toFixed(4);
    return value.replace(/[\\|`<>*_[\]]/g, "\\$&").replace(/\s+/g, " ");
  };
  const numeric = sheet.columns.map((_, i) => sheet.rows.some((row) => typeof row[i] === "number"));
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(sheet.columns.map(cell)),
    line(numeric.map((is) => (is ? "---:" : "---"))),
    ...sheet.rows.map((row) => line(row.map(cell))),
    "",
  ].join("\n");
}

/** Offer text as a file. */
export function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Put text on the clipboard, also where the page was opened from disk and the new way is not allowed. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "away";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
