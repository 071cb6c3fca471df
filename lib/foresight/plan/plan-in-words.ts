import { nameInWords } from '#lib/foresight/cluster/live-object.ts';
import type { ChangeResult } from './change.ts';
import { type FieldChange, fieldChanges } from './field-changes.ts';
import type { ChangePlan } from './plan-change.ts';
import { planCounts } from './plan-counts.ts';
import type { PlannedAction, PlannedWrite } from './planned-write.ts';
import { essentialsOf } from './status-lines.ts';

/** Style of a piece of text. */
export type PlanStyle = PlannedAction | 'refused' | 'heading' | 'dim';

/** Options for {@link planInWords}. */
export interface PlanTextOptions {
  /** Colours a piece of text. @default no colours */
  readonly paint?: (style: PlanStyle, text: string) => string;
  /** Whether to print created objects, objects that the change deletes, and changes of a status in full. @default false */
  readonly details?: boolean;
}

type Paint = NonNullable<PlanTextOptions['paint']>;

const withDefaults = ({ paint = (_, text) => text, details = false }: PlanTextOptions): Required<PlanTextOptions> => ({
  paint,
  details,
});

const SIGNS: Readonly<Record<PlannedAction, string>> = {
  create: '+',
  change: '~',
  delete: '-',
  replace: '±',
  status: '~',
};

const NAME_WIDTH = 32;
const MAX_VALUE = 60;

/** Paths of timestamps and bookkeeping, which the text leaves out. */
const NOISE =
  /\.(?:lastTransitionTime|lastUpdateTime|observedGeneration)$|^metadata\.annotations\["cdk8s-reconcile\/intent"\]$/;

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const line = text.replaceAll('\n', '⏎');
  return line.length > MAX_VALUE ? `${line.slice(0, MAX_VALUE - 1)}…` : line === '' ? '""' : line;
};

const fieldLine = (change: FieldChange, paint: Paint): string => {
  const { path, before, after } = change;
  if (!('before' in change)) return `${paint('create', '+')} ${path}: ${shown(after)}`;
  if (!('after' in change)) return `${paint('delete', '-')} ${path}: ${shown(before)}`;
  return `${paint('change', '~')} ${path}: ${shown(before)} → ${shown(after)}`;
};

const fieldLines = (fields: readonly FieldChange[], paint: Paint): readonly string[] =>
  fields.filter(({ path }) => !NOISE.test(path)).map((field) => fieldLine(field, paint));

const indented = (lines: readonly string[], by: number): readonly string[] =>
  lines.map((line) => `${' '.repeat(by)}${line}`);

const OUTCOMES: Readonly<Record<ChangeResult['outcome'], readonly [words: string, style: PlanStyle]>> = {
  created: ['would be created', 'create'],
  configured: ['would be changed', 'change'],
  unchanged: ['would stay as it is', 'dim'],
  deleted: ['would be deleted', 'delete'],
  refused: ['would be refused', 'refused'],
};

const changeLines = (change: ChangeResult, { paint, details }: Required<PlanTextOptions>): readonly string[] => {
  const [words, style] = OUTCOMES[change.outcome];
  const head = `${nameInWords(change)} ${paint(style, words)}`;
  if (change.refused) return [head, `  ${change.refused.code} ${change.refused.message}`];
  const isWhole = change.outcome === 'created' || change.outcome === 'deleted';
  return [head, ...indented(isWhole && !details ? [] : fieldLines(change.fields, paint), 2)];
};

const remarkOf = ({ alsoWithout, unverified }: PlannedWrite): string => {
  if (unverified) return ' (without a visible change)';
  return alsoWithout ? ' (without the change, too)' : '';
};

/** The resource whose pass causes a write, and its extension, if any. */
const causeInWords = ({ owner, extension }: PlannedWrite): string =>
  extension === undefined ? nameInWords(owner) : `${nameInWords(owner)} (${extension})`;

const isOwn = ({ owner, ...write }: PlannedWrite): boolean => nameInWords(owner) === nameInWords(write);

const subjectOf = (write: PlannedWrite): string => {
  if (write.action === 'status') return 'status';
  if (isOwn(write)) return 'metadata';
  return `${write.kind} ${write.namespace === write.owner.namespace ? write.name : nameInWords(write).slice(write.kind.length + 1)}`;
};

const writeLines = (write: PlannedWrite, { paint, details }: Required<PlanTextOptions>): readonly string[] => {
  const { action, reason, refused, fields } = write;
  const style = refused ? 'refused' : action;
  const text = `${SIGNS[action]} ${subjectOf(write).padEnd(NAME_WIDTH)} ${reason}`.trimEnd();
  const head = `${paint(style, text)}${paint('dim', remarkOf(write))}`;
  if (refused) return [head, `    refused: ${refused.code} ${refused.message}`];
  const hidesFields = action === 'delete' || action === 'replace';
  if (details && write.object) return [head, ...indented(fieldLines(fieldChanges(undefined, write.object), paint), 4)];
  const told = action === 'status' && !details ? essentialsOf(fields) : fields;
  return [head, ...indented(hidesFields ? [] : fieldLines(told, paint), 4)];
};

/** Lines of a plan with a title. */
export interface PlanSection {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Formats writes, grouped by resource. */
export const writeSections = (
  writes: readonly PlannedWrite[],
  options: Required<PlanTextOptions>,
): readonly PlanSection[] =>
  [...Map.groupBy(writes, causeInWords)].map(([owner, own]) => ({
    title: `For ${owner} the operator would`,
    lines: own.flatMap((write) => writeLines(write, options)),
  }));

/** Formats sections as text. */
export const sectionsInWords = (sections: readonly PlanSection[], paint: Paint): readonly string[] =>
  sections.flatMap(({ title, lines }) => ['', paint('heading', title), ...indented(lines, 2)]);

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');

/** Formats a duration as `0s`, `1.5s`, `2m30s` or `1h05m`. */
const durationInWords = (ms: number): string => {
  if (ms < MINUTE_MS) return `${Math.round(ms / 100) / 10}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m${two((ms % MINUTE_MS) / SECOND_MS)}s`;
  return `${Math.floor(ms / HOUR_MS)}h${two((ms % HOUR_MS) / MINUTE_MS)}m`;
};

const TIME_WIDTH = 8;

const sequenceLines = (sequence: readonly PlannedWrite[], { paint }: Required<PlanTextOptions>): readonly string[] =>
  sequence.map((write) => {
    const { action, reason, afterMs, refused, owner } = write;
    const text = `${SIGNS[action]} ${action === 'status' ? `status of ${nameInWords(owner)}` : nameInWords(write)} ${reason}`;
    const said = refused ? `${text}: refused, ${refused.code} ${refused.message}` : text;
    return `${durationInWords(afterMs).padStart(TIME_WIDTH)} ${paint(refused ? 'refused' : action, said)}${paint('dim', remarkOf(write))}`;
  });

/** Formats a sentence about a number of things; '' for 0. */
const sentence = (count: number, [before, thing, after]: readonly [string, string, string]): string =>
  count === 0 ? '' : ` ${before} ${count} ${thing}${count === 1 ? '' : 's'}${after}.`;

/** Formats the numbers of a plan as one line. */
export const planSummary = (plan: ChangePlan): string => {
  if (plan.changes.some(({ outcome }) => outcome === 'refused'))
    return 'Plan: the API server would refuse the change, so it has no consequences.';
  const { alsoWithout, ...counts } = planCounts(plan);
  const { create, change, delete: gone, status, refused } = counts;
  const others = sentence(alsoWithout, ['Independently of the change, the operator would write', 'object', '']);
  const isAlone = Object.values(counts).every((count) => count === 0);
  if (isAlone && plan.changes.some(({ outcome }) => outcome !== 'unchanged'))
    return `Plan: the change itself; the operator would write nothing${others && ' because of it'}.${others}`;
  const statuses = sentence(status, ['The status of', 'resource', ' changes']);
  const failures = sentence(refused, ['Writes of', 'object', ' would be refused']);
  return `Plan: ${create} to create, ${change} to change, ${gone} to delete.${statuses}${failures}${others}`;
};

const changeSections = (changes: readonly ChangeResult[], options: Required<PlanTextOptions>): readonly PlanSection[] =>
  changes.map((change) => {
    const [title = '', ...lines] = changeLines(change, options);
    return { title, lines };
  });

/** Formats the consequences of the changes; sections without lines are left out. */
const consequenceSections = (
  { writes, garbage, asks, sequence, notes }: ChangePlan,
  options: Required<PlanTextOptions>,
): readonly PlanSection[] => {
  const deleted = garbage.map((name) => options.paint('delete', `- ${nameInWords(name)}`));
  const later = sequenceLines(sequence ?? [], options);
  const asked = asks.map(({ method, url }) => `${method} ${url}`);
  const sections = [
    ...writeSections(writes, options),
    { title: 'The garbage collector would delete', lines: deleted },
    { title: 'The operator would ask, and wait for the answer', lines: asked },
    { title: 'In virtual time, while the rest of the cluster does its work', lines: later },
    { title: 'Note', lines: notes },
  ];
  return sections.filter(({ lines }) => lines.length > 0);
};

/** Formats a plan in sections: the results of the changes, then their consequences. */
export const planSections = (plan: ChangePlan, given: PlanTextOptions = {}): readonly PlanSection[] => {
  const options = withDefaults(given);
  return [...changeSections(plan.changes, options), ...consequenceSections(plan, options)];
};

/** Formats a plan: the results of the changes, their consequences, such as writes with their reasons, and a summary line. */
export const planInWords = (plan: ChangePlan, given: PlanTextOptions = {}): string => {
  const options = withDefaults(given);
  return [
    ...plan.changes.flatMap((change) => changeLines(change, options)),
    ...sectionsInWords(consequenceSections(plan, options), options.paint),
    '',
    options.paint('heading', planSummary(plan)),
    '',
  ].join('\n');
};
