import { randomUUID } from 'node:crypto';
import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import type { Revision, SteeringAnswer, SteeringEdit, SteeringOrder, SteeringVerb } from '#lib/desired/steering.ts';
import { ApiError, ConfigurationError } from '#lib/errors.ts';
import { equalJson } from '#lib/json.ts';
import { ControllerRevision } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { projectResource } from '#lib/loop/cache/projection/projection.ts';
import { revisionsOf } from '#lib/workload/controller-revision.ts';
import { awaitChange } from '../../objects/await-change.ts';
import { listAll } from '../../objects/family.ts';
import { listAt, numberAt, textAt } from '../../objects/json.ts';
import type { CliContext } from '../../shell/context.ts';
import type { ClusterOptions, ConfigOptions } from '../../shell/options.ts';
import { printable } from '../../shell/output.ts';
import { guardedPatch } from './edits.ts';
import { type RolloutSubject, readSubject, withSubject } from './subject.ts';

/** Options of the verbs that send a command to a rollout. */
export interface SteerOptions extends ClusterOptions, ConfigOptions {
  /**
   * The target of `undo`: a version, or the hash of its template.
   *
   * @default during a rollout the stable version; otherwise the version before the current one
   */
  readonly to?: string;
  /** The maximum wait until the operator confirms the command, in seconds. */
  readonly wait: number;
}

const FIELD_MANAGER = 'cdk8s-reconcile-cli';

/** Maximum number of attempts. The status changes often during a rollout. After each change, the patch must be computed again. */
const TRIES = 5;

const resourceOf = (object: ApiObject): AnyResource => projectResource(object) as unknown as AnyResource;

const isOwnedBy = (owner: ApiObject, object: ApiObject): boolean =>
  listAt(object, 'metadata', 'ownerReferences').some((reference) => textAt(reference, 'uid') === owner.metadata.uid);

const revisionsFor = async (
  { cluster, definition }: RolloutSubject,
  object: ApiObject,
): Promise<readonly Revision[]> => {
  if (!definition.owns.some(({ kind }) => kind === ControllerRevision.kind)) return [];
  const { items } = await listAll(cluster.api, ControllerRevision, { namespace: object.metadata.namespace });
  return revisionsOf(items.filter((item) => isOwnedBy(object, item)) as unknown as Parameters<typeof revisionsOf>[0]);
};

type Steer = NonNullable<AnyKindDefinition['steer']>;

const steerOf = ({ definition, word }: RolloutSubject, verb: SteeringVerb): Steer => {
  if (definition.steer !== undefined) return definition.steer;
  throw new ConfigurationError(
    `Cannot ${verb} ${word}: ${definition.kind} has no rollouts in steps; edit its spec, and see cdk8s-reconcile rollout status ${word}`,
  );
};

/** Whether an error means that the object has changed: a 409, or a 422 without causes. A 422 for an invalid value has causes. */
const isOutdated = (error: unknown): boolean =>
  error instanceof ApiError && (error.httpStatus === 409 || (error.httpStatus === 422 && error.causes.length === 0));

/** The fields that a command would set, and the uid of the object. */
export interface SteeringTarget {
  readonly edits: readonly SteeringEdit[];
  readonly uid: string;
}

/** What a command would write, and the result for the user. */
export interface PreparedSteering extends SteeringTarget {
  readonly says: string;
}

interface Ordered {
  readonly answer: Exclude<SteeringAnswer<AnyResource>, { refused: string }>;
  readonly object: ApiObject;
}

type Order = Omit<SteeringOrder, 'revisions'>;

/** The current object, and the answer of its kind to a command. @throws {ConfigurationError} when the kind refuses the command */
const answered = async (subject: RolloutSubject, order: Order): Promise<Ordered> => {
  const steer = steerOf(subject, order.verb);
  const object = await readSubject(subject);
  const revisions = order.verb === 'undo' ? await revisionsFor(subject, object) : [];
  const answer = steer(resourceOf(object), { ...order, revisions });
  if ('refused' in answer) throw new ConfigurationError(`Cannot ${order.verb} ${subject.word}: ${answer.refused}`);
  return { answer, object };
};

const give = async (
  subject: RolloutSubject,
  { expected, ...order }: Order & Pick<SteeringCommand, 'expected'>,
): Promise<Ordered> => {
  for (let tries = 1; ; tries += 1) {
    const { answer, object } = await answered(subject, order);
    if (expected !== undefined && !equalJson({ edits: answer.edits, uid: object.metadata.uid }, expected))
      throw new ConfigurationError(
        `Cannot ${order.verb} ${subject.word}: it has changed, and other fields would be written now; look again`,
      );
    if (answer.edits.length === 0) return { answer, object };
    const { resource, target } = subject.named;
    try {
      const options = { type: 'json', fieldManager: FIELD_MANAGER } as const;
      const patched = await subject.cluster.api.patch(resource, target, guardedPatch(object, answer.edits), options);
      return { answer, object: patched };
    } catch (error) {
      if (!isOutdated(error)) throw error;
      if (tries === TRIES)
        throw new ConfigurationError(
          `Cannot ${order.verb} ${subject.word}: others changed it ${TRIES} times while this was written; try again`,
          { cause: error },
        );
    }
  }
};

const SETTLE_MS = 100;

/** The result of a command without `outcomeIn`: the command is done when the operator has observed the current spec. */
const seenIn = (object: ApiObject): { readonly isDone: true; readonly message: '' } | undefined => {
  const wanted = numberAt(object, 'metadata', 'generation') ?? 0;
  return (numberAt(object, 'status', 'observedGeneration') ?? 0) >= wanted ? { isDone: true, message: '' } : undefined;
};

/** Waits for the result of a command; undefined after the timeout or an interruption. */
const outcomeOf = async (
  context: CliContext,
  {
    subject,
    ordered,
    seconds,
  }: { readonly subject: RolloutSubject; readonly ordered: Ordered; readonly seconds: number },
) => {
  const { outcomeIn } = ordered.answer;
  const end = performance.now() + seconds * 1000;
  let { object } = ordered;
  for (;;) {
    const outcome = outcomeIn === undefined ? seenIn(object) : outcomeIn(resourceOf(object));
    const atMostMs = end - performance.now();
    if (outcome !== undefined || atMostMs <= 0 || context.signal.aborted) return outcome;
    const { namespace, resourceVersion } = object.metadata;
    const lists = [{ resource: subject.named.resource, namespace, resourceVersion }];
    await awaitChange(subject.cluster.api, lists, { atMostMs, settleMs: SETTLE_MS, signal: context.signal });
    object = await readSubject(subject);
  }
};

/** A command to a rollout. */
export interface SteeringCommand extends SteerOptions {
  readonly verb: SteeringVerb;
  /** The unique id of the command. @default a random id */
  readonly id?: string;
  /** The only edits that may be written, and the only object. @default any */
  readonly expected?: SteeringTarget;
}

/**
 * Returns what a command would write now, and writes nothing.
 *
 * @throws {ConfigurationError} when the kind has no rollouts, or the command is not possible now
 */
export const prepareSteering = async (
  context: CliContext,
  word: string,
  { verb, id = randomUUID(), to, ...options }: SteeringCommand,
): Promise<PreparedSteering> =>
  withSubject(context, { word, options }, async (subject) => {
    const { answer, object } = await answered(subject, { verb, id, to });
    return { edits: answer.edits, says: answer.says, uid: object.metadata.uid };
  });

/**
 * Sends a command to a rollout by a patch, unless no field has to change. If the object has changed since it was read, reads it
 * again and sends another patch, with at most five attempts.
 *
 * @param context - the process
 * @param word - `<kind>/<name>`
 * @param options - the options that the user typed, and the command
 * @throws {ConfigurationError} when the kind has no rollouts, the command is refused, something else than `expected` would be
 *   written, all attempts fail, or no operator confirms the command in time
 */
export const steerByPatch = async (
  context: CliContext,
  word: string,
  { verb, id = randomUUID(), expected, ...options }: SteeringCommand,
): Promise<void> =>
  withSubject(context, { word, options }, async (subject) => {
    const ordered = await give(subject, { verb, id, to: options.to, ...(expected && { expected }) });
    const label = `${subject.named.resource.kind}/${subject.named.target.name}`;
    const outcome = await outcomeOf(context, { subject, ordered, seconds: options.wait });
    if (outcome === undefined) {
      const waited = context.signal.aborted ? '' : ` in ${options.wait} s`;
      throw new ConfigurationError(
        printable(
          `${label}: "${verb}" was written, but no operator has answered${waited}; it takes effect as soon as one answers; cdk8s-reconcile doctor checks whether one runs`,
        ),
      );
    }
    const detail = outcome.message === '' ? '' : `: ${outcome.message}`;
    if (!outcome.isDone) throw new ConfigurationError(printable(`${label} refused ${ordered.answer.says}${detail}`));
    context.stdout.write(printable(`${label} ${ordered.answer.says}${detail}\n`));
  });
