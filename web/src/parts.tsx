// Small pieces that several views draw.
import type { ComponentChildren, VNode } from "preact";
import { systems, tasks } from "./board";

/** A name that breaks between its parts where a column is too narrow for it. */
function broken(name: string): ComponentChildren {
  const parts = name.split(/(?<=[/,(:])(?=\w)|(?<=[a-z0-9]{2})(?=[A-Z])/);
  return name.length > 16 && parts.length > 1 ? parts.flatMap((part, i) => (i ? [<wbr key={i} />, part] : [part])) : name;
}

/** A system by name, with a link to its page where there is one. A function, for a table may have hundreds of them. */
export function systemName(system: number): VNode {
  const { name, link } = systems.value[system]!;
  return link ? <a href={link}>{broken(name)}</a> : <span>{broken(name)}</span>;
}

export function taskName(task: number): VNode {
  const { name, link } = tasks.value[task]!;
  return link ? <a href={link}>{broken(name)}</a> : <span>{broken(name)}</span>;
}

interface BarOf {
  low: number;
  mean: number;
  high: number;
  text: string;
}

/** An interval drawn on the scale from 0 to 1, beside its text: one element for the same reason. */
export function bar({ low, mean, high, text }: BarOf): VNode {
  if (Number.isNaN(low)) return <span>–</span>;
  const at = (value: number) => `${(value * 100).toFixed(1)}%`;
  const place = { "--low": at(low), "--high": at(Math.max(high, low + 0.005)), "--at": at(mean) };
  return (
    <span class="interval">
      <span class="bar" style={place} />
      {text}
    </span>
  );
}
