// The whole page: the views to choose from, the one that is chosen, and what can be taken away from it.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { core, measureName, numbers, selected, tasks } from "./board";
import { failed } from "./data";
import { count } from "./format";
import { copy, csv, download, markdown } from "./sheet";
import { hashWith, sort, view } from "./state";
import { views } from "./view";

const told = signal("");

export function App() {
  const chosen = views.find((v) => v.id === view.value) ?? views[0]!;
  const empty = core.value!.systems.length === 0 && chosen.id !== "published";
  useEffect(() => keyboard(), []);
  useEffect(() => {
    document.title = `${chosen.label} · ${core.value!.title} · hakari`;
  }, [chosen]);
  return (
    <>
      <nav class="views" aria-label="Views">
        {views.map((v) => (
          <a
            key={v.id}
            href={hashWith({ view: v.id, sort: null })}
            aria-current={v === chosen ? "page" : undefined}
            onClick={(e) => {
              e.preventDefault();
              sort.value = "";
              view.value = v.id;
            }}
          >
            {v.label}
          </a>
        ))}
        <Theme />
      </nav>
      <p class="about">
        {chosen.about} {chosen.id !== "published" && <Scope />}
      </p>
      {failed.value && (
        <p class="note" role="alert">
          {failed.value}. Reload the page; if it is opened from disk, see that the folder `data` lies beside it.
        </p>
      )}
      {empty ? (
        <p class="note">Nothing is weighed yet: `hakari run bm25 --on TASKS`. Published figures are under Published.</p>
      ) : (
        <chosen.Component />
      )}
      <footer class="foot">
        <button type="button" onClick={() => save()}>
          Save as CSV
        </button>
        <button type="button" onClick={() => void take()}>
          Copy as Markdown
        </button>
        <span role="status">{told.value}</span>
        <p class="note">{method()}</p>
      </footer>
    </>
  );

  function save() {
    const sheet = empty ? null : chosen.sheet();
    if (sheet) download(`${sheet.name.replace(/[^\w.-]+/g, "-")}.csv`, csv(sheet));
    told.value = sheet ? `${count(sheet.rows.length)} rows saved` : "nothing to save yet";
  }

  async function take() {
    const sheet = empty ? null : chosen.sheet();
    const done = sheet !== null && (await copy(markdown(sheet)));
    told.value = done ? `${count(sheet.rows.length)} rows copied` : "the browser did not allow it";
  }
}

function Scope() {
  const list = selected.value;
  const queries = list.reduce((sum, t) => sum + (tasks.value[t]!.queries ?? 0), 0);
  return (
    <span>
      <strong>{measureName.value}</strong> on {count(list.length)} {list.length === 1 ? "task" : "tasks"},{" "}
      {count(queries)} queries.
    </span>
  );
}

function method(): string {
  const weighed = numbers.value?.weighed ?? core.value!.resampled;
  const how = weighed
    ? "Intervals and rank ranges come from resampling the queries within tasks, as in `hakari run`."
    : "Intervals and rank ranges of this selection are in closed form, within .01 of resampling on tasks of 20 queries or more.";
  return `95 % intervals. ${how} Do not compare two systems by whether their intervals overlap: Differences pairs them query by query. hakari ${core.value!.hakari}.`;
}

const THEMES = ["system", "light", "dark"] as const;
const theme = signal<string>(remembered());

function remembered(): string {
  try {
    return localStorage.getItem("hakari-theme") ?? "system";
  } catch {
    return "system";
  }
}

function Theme() {
  useEffect(() => {
    if (theme.value === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", theme.value);
    try {
      localStorage.setItem("hakari-theme", theme.value);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  }, [theme.value]);
  const next = THEMES[(THEMES.indexOf(theme.value as (typeof THEMES)[number]) + 1) % THEMES.length]!;
  return (
    <button type="button" class="theme" onClick={() => (theme.value = next)}>
      Colours: {theme.value}
    </button>
  );
}

/** Close filters that are open, but for the one that something lies in. */
function closeFilters(but: Node | null): void {
  for (const open of document.querySelectorAll<HTMLDetailsElement>(".filter[open]")) {
    if (but && open.contains(but)) continue;
    if (open.contains(document.activeElement)) open.querySelector("summary")?.focus();
    open.open = false;
  }
}

/** `/` goes to the search, `1` to `9` to a view, never while something is typed; Escape closes filters. */
function keyboard(): () => void {
  const outside = (e: Event) => closeFilters(e.target as Node);
  const press = (e: KeyboardEvent) => {
    if (e.key === "Escape") closeFilters(null);
    const typing = e.target instanceof HTMLElement && e.target.closest("input, select, textarea") !== null;
    if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "/") {
      e.preventDefault();
      document.getElementById("search")?.focus();
    }
    const chosen = views[Number(e.key) - 1];
    if (chosen) {
      sort.value = "";
      view.value = chosen.id;
    }
  };
  addEventListener("keydown", press);
  addEventListener("pointerdown", outside);
  return () => {
    removeEventListener("keydown", press);
    removeEventListener("pointerdown", outside);
  };
}
