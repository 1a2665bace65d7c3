// What the reader chooses with: filters of tasks and systems, the measure, how tasks are weighed.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import {
  core, measureName, NOT_KNOWN, SIZE_NAMES, systems, systemTraits, taskTraits, tasks,
} from "./board";
import * as state from "./state";

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (string | readonly [string, string])[];
  onChange: (value: string) => void;
}

/** A list to choose one from. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={(e) => onChange(e.currentTarget.value)}>
        {options.map((option) => {
          const [name, text] = typeof option === "string" ? [option, option] : option;
          return (
            <option key={name} value={name} selected={name === value}>
              {text}
            </option>
          );
        })}
      </select>
    </label>
  );
}

export function Switch({ label, at, hint }: { label: string; at: Signal<boolean>; hint?: string }) {
  return (
    <label class="switch" title={hint}>
      <input type="checkbox" checked={at.value} onChange={(e) => (at.value = e.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

/** A filter: every value there is, with how many it keeps; none chosen keeps all. */
function Filter({ label, at, values }: { label: string; at: Signal<readonly string[]>; values: Map<string, number> }) {
  const toggle = (value: string, on: boolean) => {
    at.value = on ? [...at.value, value].sort() : at.value.filter((v) => v !== value);
  };
  if (values.size < 2 && at.value.length === 0) return null;
  return (
    <details class="filter">
      <summary>
        {label}
        {at.value.length > 0 && <span class="chosen"> {at.value.length === 1 ? at.value[0] : at.value.length}</span>}
      </summary>
      <fieldset>
        <legend class="away">{label}</legend>
        {[...values].map(([value, many]) => (
          <label key={value}>
            <input type="checkbox" checked={at.value.includes(value)} onChange={(e) => toggle(value, e.currentTarget.checked)} />
            <span>{value}</span> <small>{many}</small>
          </label>
        ))}
      </fieldset>
    </details>
  );
}

function counted<T>(
  list: readonly T[],
  traits: (item: T) => readonly string[],
  order?: readonly string[],
): Map<string, number> {
  const found = new Map<string, number>();
  for (const item of list) for (const value of traits(item)) found.set(value, (found.get(value) ?? 0) + 1);
  const place = (value: string) => (order ? order.indexOf(value) : value === NOT_KNOWN ? 1 : 0);
  return new Map([...found].sort(([a], [b]) => place(a) - place(b) || (a < b ? -1 : 1)));
}

const TASK_LABELS: Record<keyof typeof taskTraits, string> = {
  suite: "Suite", language: "Language", domain: "Domain", shape: "Shape", audited: "Leakage audit", task: "Task",
};
const SYSTEM_LABELS: Record<keyof typeof systemTraits, string> = {
  family: "Family", size: "Parameters", licence: "Licence", training: "Training data",
};

/** Filters of the tasks that were measured, or of all that are known. */
function TaskFilters({ every }: { every: boolean }) {
  const list = every ? tasks.value : core.value!.measured.map((t) => tasks.value[t]!);
  return (
    <>
      {(Object.keys(TASK_LABELS) as (keyof typeof taskTraits)[]).map((name) => (
        <Filter key={name} label={TASK_LABELS[name]} at={state.taskFilters[name]} values={counted(list, taskTraits[name])} />
      ))}
    </>
  );
}

function SystemFilters() {
  return (
    <>
      {(Object.keys(SYSTEM_LABELS) as (keyof typeof systemTraits)[]).map((name) => (
        <Filter
          key={name}
          label={SYSTEM_LABELS[name]}
          at={state.systemFilters[name]}
          values={counted(systems.value, (s) => [systemTraits[name](s)], name === "size" ? SIZE_NAMES : undefined)}
        />
      ))}
    </>
  );
}

export function Controls({ every = false, children }: { every?: boolean; children?: ComponentChildren }) {
  return (
    <form class="controls" aria-label="What is shown" onSubmit={(e) => e.preventDefault()}>
      <div class="line">
        <Choice label="Measure" value={measureName.value} options={core.value!.measures} onChange={(m) => (state.measure.value = m)} />
        <Choice
          label="Mean"
          value={state.micro.value ? "micro" : "macro"}
          options={[["macro", "macro: tasks weigh the same"], ["micro", "micro: queries weigh the same"]]}
          onChange={(kind) => (state.micro.value = kind === "micro")}
        />
        <label class="choice">
          <span>Find a system</span>
          <input
            id="search"
            type="search"
            value={state.search.value}
            onInput={(e) => (state.search.value = e.currentTarget.value)}
          />
        </label>
        {children}
      </div>
      <div class="line" role="group" aria-label="Filters">
        <TaskFilters every={every} />
        <SystemFilters />
        {state.filtering() && (
          <button type="button" onClick={state.clearFilters}>
            Clear filters
          </button>
        )}
      </div>
    </form>
  );
}
