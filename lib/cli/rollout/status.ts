import { ConfigurationError } from '#lib/errors.ts';
import type { ApiObject } from '#lib/kube/api.ts';
import type { CliContext } from '../context.ts';
import { awaitChange } from '../objects/await-change.ts';
import { textAt } from '../objects/json.ts';
import { conditionOf } from '../objects/readiness.ts';
import type { ClusterOptions, ConfigOptions, OutputOptions } from '../options.ts';
import { printable, printResult } from '../output.ts';
import { type RolloutSubject, readSubject, withSubject } from './subject.ts';

/** Options of `rollout status`. */
export interface StatusOptions extends ClusterOptions, ConfigOptions, OutputOptions {
  /** False: looks once. */
  readonly watch: boolean;
  /** Seconds; undefined waits for ever. */
  readonly timeout?: number;
}

/** How far a resource has come with what its spec asks for. */
interface Progress {
  readonly state: 'done' | 'going' | 'failed';
  readonly reason: string;
  readonly message: string;
}

/**
 * Reads from the conditions how far a resource is.
 *
 * @param object - a resource of a kind of this library: Ready, Reconciling and Stalled, with the generation that they are about
 */
const progressOf = (object: ApiObject): Progress => {
  const [ready, stalled] = [conditionOf(object, 'Ready'), conditionOf(object, 'Stalled')];
  const generation = Reflect.get(object.metadata, 'generation') as unknown;
  if (ready === undefined || ready.observedGeneration !== generation)
    return { state: 'going', reason: 'NotObserved', message: 'the operator has not looked at this spec yet' };
  const { reason, message } = ready;
  if (stalled?.status === 'True') return { state: 'failed', reason: stalled.reason, message: stalled.message };
  return { state: ready.status === 'True' ? 'done' : 'going', reason, message };
};

const REFRESH_MS = 30_000;
const SETTLE_MS = 100;

const told = (label: string, object: ApiObject): string => {
  const { state, reason, message } = progressOf(object);
  const step = textAt(object, 'status', 'step');
  const where = step === undefined || state === 'done' ? '' : ` (step ${step})`;
  return printable(`${label} ${reason}${where}: ${message}`).replaceAll('\n', ' ');
};

const untilSettled = async (
  context: CliContext,
  subject: RolloutSubject,
  { timeout = Number.POSITIVE_INFINITY }: StatusOptions,
): Promise<void> => {
  const end = performance.now() + timeout * 1000;
  const label = `${subject.named.resource.kind}/${subject.named.target.name}`;
  let last = '';
  for (;;) {
    const object = await readSubject(subject);
    const line = told(label, object);
    const { state } = progressOf(object);
    if (state === 'failed') throw new ConfigurationError(line);
    if (line !== last) context.stdout.write(`${line}\n`);
    last = line;
    if (state === 'done') return;
    const left = end - performance.now();
    if (left <= 0)
      throw new ConfigurationError(
        `${label} is not there after ${timeout} s; cdk8s-reconcile explain ${subject.word} tells why`,
      );
    const { namespace, resourceVersion } = object.metadata;
    const lists = [{ resource: subject.named.resource, namespace, resourceVersion }];
    const options = { atMostMs: Math.min(left, REFRESH_MS), settleMs: SETTLE_MS, signal: context.signal };
    await awaitChange(subject.cluster.api, lists, options);
    context.signal.throwIfAborted();
  }
};

const once = async (context: CliContext, subject: RolloutSubject, { output }: StatusOptions): Promise<void> => {
  const object = await readSubject(subject);
  const progress = progressOf(object);
  const { kind } = subject.named.resource;
  const { name } = subject.named.target;
  const value = { kind, name, ...progress, status: object['status'] ?? {} };
  const table = {
    columns: ['NAME', 'STATE', 'REASON', 'MESSAGE'],
    rows: [[`${kind}/${name}`, progress.state, progress.reason, progress.message]],
    dispensable: ['REASON'],
  };
  await printResult(context, value, {
    format: output,
    text: () => told(`${kind}/${name}`, object),
    table: () => table,
  });
  if (progress.state === 'failed') context.exitWith(1);
};

/**
 * Tells how far a resource has come, and waits until it has arrived or failed.
 *
 * @param context - the process
 * @param word - `<kind>/<name>`
 * @param options - as they were typed
 * @throws {ConfigurationError} when it failed, or time was up
 */
export const rolloutStatus = async (context: CliContext, word: string, options: StatusOptions): Promise<void> =>
  withSubject(context, { word, options }, async (subject) =>
    options.watch && options.output === 'text'
      ? untilSettled(context, subject, options)
      : once(context, subject, options),
  );
