import { nameInWords, type ObjectName } from '#lib/foresight/cluster/live-object.ts';
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
  /** Whether to print created objects in full. @default false */
  readonly details?: boolean;
}

type Paint = NonNullable<PlanTextOptions['paint']>;

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
  if (change.refused) return [head, ...indented([`${change.refused.code} ${change.refused.message}`], 2)];
  const isWhole = change.outcome === 'created' || change.outcome === 'deleted';
  return [head, ...indented(isWhole && !details ? [] : fieldLines(change.fields, paint), 2)];
};

const remarkOf = ({ alsoWithout, unverified }: PlannedWrite): string => {
  if (unverified) return ' (without a visible change)';
  return alsoWithout ? ' (without the change, too)' : '';
};

/** The resource whose pass causes a write, and the extension if it has one. */
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

/** Formats writes, grouped by resource. */
export const writesInWords = (writes: readonly PlannedWrite[], options: Required<PlanTextOptions>): readonly string[] =>
  [...Map.groupBy(writes, causeInWords)].flatMap(([owner, own]) => [
    '',
    options.paint('heading', `For ${owner} the operator would`),
    ...indented(
      own.flatMap((write) => writeLines(write, options)),
      2,
    ),
  ]);

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
    return `  ${durationInWords(afterMs).padStart(TIME_WIDTH)} ${paint(refused ? 'refused' : action, said)}`;
  });

const summary = (plan: ChangePlan): string => {
  if (plan.changes.some(({ outcome }) => outcome === 'refused'))
    return 'Plan: the API server would refuse the change, so it has no consequences.';
  const counts = planCounts(plan);
  const { create, change, delete: gone, status, refused } = counts;
  const isAlone = Object.values(counts).every((count) => count === 0);
  if (isAlone && plan.changes.some(({ outcome }) => outcome !== 'unchanged'))
    return 'Plan: the change itself; the operator would write nothing.';
  const statuses = status === 0 ? '' : ` The status of ${status} ${status === 1 ? 'resource' : 'resources'} changes.`;
  const failures = refused === 0 ? '' : ` ${refused} ${refused === 1 ? 'write' : 'writes'} would be refused.`;
  return `Plan: ${create} to create, ${change} to change, ${gone} to delete.${statuses}${failures}`;
};

const section = (title: string, lines: readonly string[], paint: Paint): readonly string[] =>
  lines.length === 0 ? [] : ['', paint('heading', title), ...lines];

const nameLines = (names: readonly ObjectName[], paint: Paint): readonly string[] =>
  names.map((name) => `  ${paint('delete', `- ${nameInWords(name)}`)}`);

/** Formats a plan: results of the changes, writes of the operator with their reasons, and a summary line. */
export const planInWords = (
  plan: ChangePlan,
  { paint = (_, text) => text, details = false }: PlanTextOptions = {},
): string => {
  const options = { paint, details };
  const { changes, writes, garbage, asks, sequence, notes } = plan;
  return [
    ...changes.flatMap((change) => changeLines(change, options)),
    ...writesInWords(writes, options),
    ...section('The garbage collector would delete', nameLines(garbage, paint), paint),
    ...section(
      'The operator would ask, and wait for the answer',
      asks.map(({ method, url }) => `  ${method} ${url}`),
      paint,
    ),
    ...section(
      'In virtual time, while the rest of the cluster does its work',
      sequenceLines(sequence ?? [], options),
      paint,
    ),
    ...section(
      'Note',
      notes.map((note) => `  ${note}`),
      paint,
    ),
    '',
    paint('heading', summary(plan)),
    '',
  ].join('\n');
};
