// The best documents of one system for one query, the positives among them marked, and those it missed.
import { NO_DOCUMENT, TOP, type TaskQueries, type TaskTexts } from "./data";
import { count, score } from "./format";
import { systemName } from "./parts";

interface Props {
  system: number;
  letter: string;
  value: number;
  row: number;
  told: TaskQueries;
  texts: TaskTexts | undefined;
}

export function Side({ system, letter, value, row, told, texts }: Props) {
  const place = told.systems.indexOf(system);
  const start = (place * told.queries.length + row) * TOP;
  const found = [...told.tops.subarray(start, start + TOP)].filter((d) => d !== NO_DOCUMENT);
  const grades = gradesOf(told, row);
  const missed = grades && [...grades.keys()].filter((d) => !found.includes(d));
  return (
    <div>
      <h3>
        {letter}: {systemName(system)} {score(value)}
      </h3>
      {found.length === 0 && <p class="note">It answered this query with nothing.</p>}
      <ol>
        {found.map((document) => (
          <Document key={document} document={document} grade={grades?.get(document)} told={told} texts={texts} />
        ))}
      </ol>
      {missed && missed.length > 0 && (
        <>
          <p>
            {missed.length === 1 ? "The positive" : `${count(missed.length)} positives`} below rank {TOP}:
          </p>
          <ul>
            {missed.slice(0, TOP).map((document) => (
              <Document key={document} document={document} grade={grades.get(document)} told={told} texts={texts} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

interface DocumentProps {
  document: number;
  grade: number | undefined;
  told: TaskQueries;
  texts: TaskTexts | undefined;
}

function Document({ document, grade, told, texts }: DocumentProps) {
  const text = texts?.documents[document];
  const length = texts?.document_lengths[document] ?? 0;
  return (
    <li class={grade ? "positive" : undefined}>
      {grade !== undefined && <strong>✓ relevant{grade > 1 ? `, grade ${grade}` : ""} </strong>}
      <code>{told.documents[document]}</code>
      {typeof text === "string" && (
        <pre dir="auto">
          {text}
          {length > text.length && ` [${count(length)} characters in all]`}
        </pre>
      )}
    </li>
  );
}

/** The relevant documents of a query with their grades; undefined where judgements are not at hand. */
function gradesOf(told: TaskQueries, row: number): Map<number, number> | undefined {
  const listed = told.positives?.[row];
  if (!listed) return undefined;
  const found = new Map<number, number>();
  for (let i = 0; i < listed.length; i += 2) found.set(listed[i]!, listed[i + 1]!);
  return found;
}
