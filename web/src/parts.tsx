// Small pieces that several views draw.
import { systems, tasks } from "./board";

/** A system by name, with a link to its page where there is one. */
export function SystemName({ system }: { system: number }) {
  const { name, link } = systems.value[system]!;
  return link ? <a href={link}>{name}</a> : <span>{name}</span>;
}

export function TaskName({ task }: { task: number }) {
  const { name, link } = tasks.value[task]!;
  return link ? <a href={link}>{name}</a> : <span>{name}</span>;
}

/** An interval drawn on the scale from 0 to 1, beside its text. */
export function Bar({ low, mean, high, text }: { low: number; mean: number; high: number; text: string }) {
  if (Number.isNaN(low)) return <span>–</span>;
  const x = (value: number) => (value * 100).toFixed(1);
  return (
    <span class="interval">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <line class="scale" x1="0" x2="100" y1="5" y2="5" />
        <line class="span" x1={x(low)} x2={x(Math.max(high, low + 0.005))} y1="5" y2="5" />
        <line class="point" x1={x(mean)} x2={x(mean)} y1="1" y2="9" />
      </svg>
      <span>{text}</span>
    </span>
  );
}
