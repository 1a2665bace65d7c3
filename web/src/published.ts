// Published figures: three profiles of each of the published tasks. They were not measured here.
import { core, tasks } from "./board";
import type { Figures, Published } from "./data";

export type Profile = "bm25" | "dense" | "reranking_hybrid";
export const PROFILES: readonly Profile[] = ["bm25", "dense", "reranking_hybrid"];

/** Which published figure answers to a measure of ours; recall is pooled there and a mean over queries here. */
const PLACES: Record<string, 0 | 1 | 2> = { "nDCG@10": 0, "hit@10": 1, "R@100": 2 };
export const hasPublished = (measure: string): boolean => measure in PLACES;

export function figure(published: Published | null, profile: Profile, measure: string): number | null {
  const place = PLACES[measure];
  const figures: Figures | undefined = published?.[profile];
  return place === undefined || !figures ? null : figures[place];
}

export function labelOf(profile: Profile): string {
  return { bm25: "published BM25", dense: "published dense", reranking_hybrid: "published hybrid" }[profile];
}

export interface PublishedMean {
  id: string;
  label: string;
  mean: number;
  tasks: number;
  note: string;
}

/** The mean of each published profile over some tasks, as far as they have it. */
export function publishedMeans(list: readonly number[], measure: string, micro: boolean): PublishedMean[] {
  return PROFILES.flatMap((profile) => {
    const known = list.filter((t) => figure(tasks.value[t]!.published, profile, measure) !== null);
    if (known.length === 0) return [];
    const weight = (t: number) => (micro ? tasks.value[t]!.queries! : 1);
    const total = known.reduce((sum, t) => sum + weight(t), 0);
    const sum = known.reduce((so, t) => so + weight(t) * figure(tasks.value[t]!.published, profile, measure)!, 0);
    const models = new Set(known.map((t) => tasks.value[t]!.published?.dense_model).filter(Boolean));
    const note = [
      profile === "dense" && models.size > 0 ? [...models].join(", ") : "",
      measure === "R@100" ? "pooled over queries" : "",
      profile === "reranking_hybrid" ? "its first 100, safeguards not counted" : "",
    ].filter(Boolean);
    return [{ id: profile, label: labelOf(profile), mean: sum / total, tasks: known.length, note: note.join("; ") }];
  });
}

/** The mean of each imported system over some tasks, as far as there are figures of it. */
export function importedMeans(list: readonly number[], measure: string, micro: boolean): PublishedMean[] {
  return core.value!.imported.flatMap((one, i) => {
    const figures = one.figures[measure];
    const known = figures ? list.filter((t) => figures[t] !== undefined) : [];
    if (!figures || known.length === 0) return [];
    const weight = (t: number) => (micro ? (tasks.value[t]!.queries ?? 1) : 1);
    const total = known.reduce((sum, t) => sum + weight(t), 0);
    const sum = known.reduce((so, t) => so + weight(t) * figures[t]!, 0);
    return [{ id: `imported ${i}`, label: one.name, mean: sum / total, tasks: known.length, note: `${one.mark}, from ${one.source}` }];
  });
}
