// A view of the board is one file in `views/` that exports one of these as its default. Nothing else names it.
import type { ComponentType } from "preact";
import type { Sheet } from "./sheet";

export interface BoardView {
  /** What the address says. */
  id: string;
  /** What the reader clicks on. */
  label: string;
  /** Where it stands among the others. */
  order: number;
  /** One sentence that says what it answers. */
  about: string;
  Component: ComponentType;
  /** What it shows as plain rows, for files; null while there is nothing. */
  sheet: () => Sheet | null;
}

const modules = import.meta.glob<{ default: BoardView }>("./views/*.tsx", { eager: true });

export const views: BoardView[] = Object.values(modules)
  .map((module) => module.default)
  .sort((a, b) => a.order - b.order || a.id.localeCompare(b.id));
