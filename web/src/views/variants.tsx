// What would I lose: the measured cheaper forms of one retriever, chosen with sliders, against the whole.
import { computed, type Signal } from "@preact/signals";
import { cells, differenceOf, held, isHead, measureName, numbersOf, passed, selected, systemNamed, systems, variantsOf } from "../board";
import { surelyOrdered } from "../closed";
import { Choice, Controls } from "../controls";
import { score, signed, weight } from "../format";
import { formOf, PRECISIONS, type Form } from "../forms";
import { Grid } from "../grid";
import { systemName } from "../parts";
import * as state from "../state";
import type { BoardView } from "../view";

const models = computed(() => passed.value.filter((s) => isHead(s) && variantsOf(s).length > 0));
const chosen = computed(() => {
  const named = systemNamed(state.model.value, -1);
  return models.value.includes(named) ? named : (models.value[0] ?? -1);
});
/** The tasks of the selection that the retriever has: what it loses can be told on these. */
const list = computed(() => (cells.value && chosen.value >= 0 ? held(cells.value, selected.value, chosen.value) : []));
const numbers = computed(() => (list.value.length > 0 ? numbersOf(list.value) : undefined));
const whole: Form = { dimension: null, precision: "float", rescored: 0 };
/** The forms that were measured of the chosen retriever, itself included. */
const forms = computed(() =>
  chosen.value < 0
    ? []
    : [chosen.value, ...variantsOf(chosen.value)].map((system) => ({
        system,
        form: system === chosen.value ? whole : formOf(systems.value[system]!.variant),
      })),
);

function steps<T>(value: (form: Form) => T, order: (a: T, b: T) => number): T[] {
  return [...new Set(forms.value.flatMap((f) => (f.form ? [value(f.form)] : [])))].sort(order);
}
const size = (dimension: number | null) => dimension ?? Number.POSITIVE_INFINITY;
const dimensions = computed(() => steps((f) => f.dimension, (a, b) => size(b) - size(a)));
const precisions = computed(() =>
  steps((f) => f.precision, (a, b) => PRECISIONS.indexOf(a as "float") - PRECISIONS.indexOf(b as "float")),
);
const depths = computed(() => steps((f) => f.rescored, (a, b) => a - b));

const wanted = computed((): Form => ({
  dimension: dimensions.value.find((d) => String(d ?? "") === state.dimension.value) ?? null,
  precision: precisions.value.find((p) => p === state.precision.value) ?? "float",
  rescored: depths.value.find((d) => String(d) === state.rescore.value) ?? 0,
}));
const same = (a: Form, b: Form) => a.dimension === b.dimension && a.precision === b.precision && a.rescored === b.rescored;
const found = computed(() => forms.value.find((f) => f.form && same(f.form, wanted.value))?.system);

function loss(system: number) {
  return system === chosen.value ? null : differenceOf(system, chosen.value, list.value);
}
const spared = (system: number): number | null => {
  const [own, all] = [systems.value[system]!.bytes, systems.value[chosen.value]!.bytes];
  return own !== null && all ? 1 - own / all : null;
};
const percent = (share: number | null) => (share === null ? "–" : `${Math.round(share * 100)} %`);

interface SliderProps<T> {
  label: string;
  values: readonly T[];
  value: T;
  text: (value: T) => string;
  at: Signal<string>;
  key_: (value: T) => string;
}

function Slider<T>({ label, values, value, text, at, key_ }: SliderProps<T>) {
  const place = Math.max(0, values.indexOf(value));
  return (
    <label>
      <span>{label}: <output>{text(value)}</output></span>
      <input
        type="range"
        min={0}
        max={Math.max(0, values.length - 1)}
        step={1}
        value={place}
        disabled={values.length < 2}
        aria-valuetext={text(value)}
        onInput={(e) => (at.value = key_(values[Number(e.currentTarget.value)]!))}
      />
    </label>
  );
}

function Answer() {
  const system = found.value;
  if (system === undefined) {
    const near = forms.value.filter((f) => f.form && (f.form.precision === wanted.value.precision || f.form.dimension === wanted.value.dimension));
    return (
      <p role="status">
        Not measured in this combination. Measured near it: {near.map((f) => systems.value[f.system]!.variant).join(", ") || "none"}.
      </p>
    );
  }
  const d = loss(system);
  const side = d ? surelyOrdered(d) : 0;
  return (
    <div role="status">
      <p class="figure">
        {score(numbers.value?.mean(system) ?? null)} <span class={side < 0 ? "worse" : side > 0 ? "better" : ""}>{d ? signed(d.gap) : ""}</span>
      </p>
      <p>
        {d
          ? `${signed(d.low)} to ${signed(d.high)}, ${side < 0 ? "a loss that these queries show" : side > 0 ? "a gain that these queries show" : "not distinguished from the whole"}. `
          : system === chosen.value
            ? `The whole retriever, ${weight(systems.value[system]!.bytes)} a document. Move a slider to see what a cheaper form loses. `
            : ""}
        {system !== chosen.value && spared(system) !== null && `${weight(systems.value[system]!.bytes)} a document, ${percent(spared(system))} less than the whole.`}
      </p>
    </div>
  );
}

function Variants() {
  const name = systems.value[chosen.value]?.name;
  return (
    <>
      <Controls>
        {name !== undefined && (
          <Choice label="Retriever" value={name} options={models.value.map((s) => systems.value[s]!.name)} onChange={(value) => (state.model.value = value)} />
        )}
      </Controls>
      {name === undefined ? (
        <p class="note">No retriever here was weighed with variants. `hakari run MODEL --variants dim=256,128+int8,binary` makes some from one encoding.</p>
      ) : (
        <>
          <div class="sliders">
            <Slider label="Dimensions" values={dimensions.value} value={wanted.value.dimension} text={(d) => (d === null ? "all" : String(d))} at={state.dimension} key_={(d) => String(d ?? "")} />
            <Slider label="Precision" values={precisions.value} value={wanted.value.precision} text={String} at={state.precision} key_={(p) => (p === "float" ? "" : p)} />
            <Slider label="Candidates rescored" values={depths.value} value={wanted.value.rescored} text={(d) => (d === 0 ? "none" : String(d))} at={state.rescore} key_={(d) => (d === 0 ? "" : String(d))} />
          </div>
          <p class="note">On {list.value.length} of the {selected.value.length} tasks of the selection, those that it was weighed on.</p>
          <Answer />
          <Grid
            caption={`Measured forms of ${name}, ${measureName.value}`}
            id={(s) => s}
            usual="-mean"
            marked={(s) => s === found.value}
            columns={[
              { id: "system", title: "Form", heads: true, key: (s) => systems.value[s]!.variant, cell: (s) => (s === chosen.value ? systemName(s) : systems.value[s]!.variant) },
              { id: "mean", title: measureName.value, number: true, key: (s) => numbers.value?.mean(s) ?? null, cell: (s) => <b>{score(numbers.value?.mean(s) ?? null)}</b> },
              { id: "loss", title: "Against the whole", number: true, key: (s) => loss(s)?.gap ?? 0, cell: (s) => signed(loss(s)?.gap ?? null) },
              { id: "interval", title: "95 % interval", cell: (s) => { const d = loss(s); return d ? `${signed(d.low)} to ${signed(d.high)}` : "–"; } },
              { id: "bytes", title: "A document", number: true, key: (s) => systems.value[s]!.bytes, cell: (s) => weight(systems.value[s]!.bytes) },
              { id: "spared", title: "Spared", number: true, key: spared, cell: (s) => percent(spared(s)) },
            ]}
            parts={[{ rows: forms.value.map((f) => f.system) }]}
          />
        </>
      )}
    </>
  );
}

export default {
  id: "variants",
  label: "Variants",
  order: 50,
  about: "What a smaller index would lose: dimensions, precision and rescoring depth, as far as they were measured.",
  Component: Variants,
  sheet: () => ({
    name: `variants ${systems.value[chosen.value]?.name ?? ""} ${measureName.value}`,
    columns: ["system", "variant", measureName.value, "difference", "low", "high", "bytes a document"],
    rows: forms.value.map(({ system: s }) => {
      const d = loss(s);
      return [systems.value[s]!.name, systems.value[s]!.variant, numbers.value?.mean(s) ?? null, d?.gap ?? null, d ? d.low : null, d ? d.high : null, systems.value[s]!.bytes];
    }),
  }),
} satisfies BoardView;
