import { ConfigurationError } from '#lib/errors.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { awaitChange } from '../../objects/await-change.ts';
import { rootLists } from '../../objects/family.ts';
import { textAt } from '../../objects/json.ts';
import { seenConditionOf } from '../../objects/readiness.ts';
import type { CliContext } from '../../shell/context.ts';
import type { Format, ProjectQueryOptions } from '../../shell/options.ts';
import { printable, printResult } from '../../shell/output.ts';
import { type RolloutSubject, readSubject, withSubject } from './subject.ts';

/** Options of `rollout status`. */
export interface StatusOptions extends ProjectQueryOptions {
  /** Whether to wait for the end of the rollout. */
  readonly watch: boolean;
  /** The timeout in seconds; undefined for no timeout. */
  readonly timeout?: number;
}

interface PrintedAs {
  readonly label: string;
  readonly kind: string;
  readonly format: Format;
}

interface Progress {
  readonly state: 'done' | 'going' | 'failed';
  readonly reason: string;
  readonly message: string;
}

/**
 * Derives the progress from the conditions.
 *
 * @param object - a resource of a kind of this library, with the conditions Ready, Reconciling and Stalled
 */
const progressOf = (object: ApiObject): Progress => {
  const [ready, stalled] = [seenConditionOf(object, 'Ready'), seenConditionOf(object, 'Stalled')];
  const generation = Reflect.get(object.metadata, 'generation') as unknown;
  if (ready === undefined || ready.observedGeneration !== generation)
    return { state: 'going', reason: 'NotObserved', message: 'the operator has not looked at this spec yet' };
  const { reason, message } = ready;
  if (stalled?.status === 'True') return { state: 'failed', reason: stalled.reason, message: stalled.message };
  return { state: ready.status === 'True' ? 'done' : 'going', reason, message };
};

const REFRESH_MS = 30_000;
const SETTLE_MS = 100;

const progressLine = (label: string, object: ApiObject): string => {
  const { state, reason, message } = progressOf(object);
  const step = textAt(object, 'status', 'step');
  const where = step === undefined || state === 'done' ? '' : ` (step ${step})`;
  return printable(`${label} ${reason}${where}: ${message}`).replaceAll('\n', ' ');
};

const labelOf = ({ named }: RolloutSubject): string => `${named.resource.kind}/${named.target.name}`;

const untilSettled = async (
  context: CliContext,
  subject: RolloutSubject,
  { atMostMs, onLook }: { readonly atMostMs: number; readonly onLook: (object: ApiObject) => void },
): Promise<ApiObject> => {
  const end = performance.now() + atMostMs;
  for (;;) {
    const lists = await rootLists(subject.cluster.api, subject.named);
    const object = await readSubject(subject);
    onLook(object);
    const left = end - performance.now();
    if (progressOf(object).state !== 'going' || left <= 0) return object;
    const options = { atMostMs: Math.min(left, REFRESH_MS), settleMs: SETTLE_MS, signal: context.signal };
    await awaitChange(subject.cluster.api, lists, options);
    context.signal.throwIfAborted();
  }
};

/** Prints a line for each change, except for a failure, which the command reports as an error. */
const linePrinter = (context: CliContext, label: string): ((object: ApiObject) => void) => {
  let last = '';
  return (object) => {
    const line = progressLine(label, object);
    if (line !== last && progressOf(object).state !== 'failed') context.stdout.write(`${line}\n`);
    last = line;
  };
};

const print = async (context: CliContext, object: ApiObject, options: PrintedAs): Promise<void> => {
  const { label, kind, format } = options;
  const progress = progressOf(object);
  const value = { kind, name: object.metadata.name, ...progress, status: object['status'] ?? {} };
  const table = {
    columns: ['NAME', 'STATE', 'REASON', 'MESSAGE'],
    rows: [[label, progress.state, progress.reason, progress.message]],
    dispensable: ['REASON'],
  };
  await printResult(context, value, { format, text: () => progressLine(label, object), table: () => table });
};

const status = async (context: CliContext, subject: RolloutSubject, options: StatusOptions): Promise<void> => {
  const { watch, timeout = Number.POSITIVE_INFINITY, output } = options;
  const label = labelOf(subject);
  const isPrintedLive = watch && output === 'text';
  const onLook = isPrintedLive ? linePrinter(context, label) : () => undefined;
  const atMostMs = watch ? timeout * 1000 : 0;
  const object = await untilSettled(context, subject, { atMostMs, onLook });
  const { state } = progressOf(object);
  // If no text was printed live, the result is printed once, even after a failure.
  if (!isPrintedLive) await print(context, object, { label, kind: subject.named.resource.kind, format: output });
  if (state === 'failed') {
    if (isPrintedLive) throw new ConfigurationError(progressLine(label, object));
    context.exitWith(1);
  } else if (watch && state === 'going')
    throw new ConfigurationError(
      `${label} has not arrived after ${timeout} s; cdk8s-reconcile explain ${subject.word} shows the cause`,
    );
};

/**
 * Prints the progress of a resource. With `watch`, waits until the rollout has completed or failed. In this case, text is printed
 * during the rollout, and other formats are printed at the end.
 *
 * @param context - the process
 * @param word - `<kind>/<name>`
 * @param options - the options that the user typed
 * @throws {ConfigurationError} after the timeout, and, with `watch` and text, after a failure
 */
export const printRolloutStatus = async (context: CliContext, word: string, options: StatusOptions): Promise<void> =>
  withSubject(context, { word, options }, async (subject) => status(context, subject, options));
