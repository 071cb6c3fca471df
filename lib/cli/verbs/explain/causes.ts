import { ApiError } from '#lib/errors.ts';
import { memberOf } from '#lib/json.ts';
import { isUnseen } from '#lib/kind/schema/unseen-status.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { listAll, type Member } from '../../objects/family.ts';
import { at, textAt } from '../../objects/json.ts';
import { readinessOf, seenConditionOf } from '../../objects/readiness.ts';
import type { Cause } from './cause.ts';
import { causesOfPod } from './pod.ts';

const labelOf = ({ kind, metadata }: ApiObject): string => `${kind}/${metadata.name}`;

const generationOf = ({ metadata }: ApiObject): unknown => at(metadata, 'generation');

const doctor = 'see whether its operator works: cdk8s-reconcile doctor';

const correctFunction = 'correct the function of the kind';

/** The next step for a reason. `<resource>` stands for the resource, such as `podset/web`. */
const REMEDIES: Readonly<Record<string, string>> = {
  RolloutPaused: 'cdk8s-reconcile rollout promote <resource>, or resume, skip, abort',
  RolloutAborted: 'ask for another version, or cdk8s-reconcile rollout retry <resource>',
  NameConflict: 'delete or rename that object, or rename the resource',
  QuotaExceeded: 'raise the ResourceQuota of the namespace, or ask for less',
  DesiredFailed: correctFunction,
  InvalidDesired: 'correct the result of the function',
  DesiredHung: `${correctFunction}, or change the spec of the resource`,
  UndeclaredRead: 'add the kind that the message names to owns or reads of the kind',
  NeverSettles: `${correctFunction}: remove counters, random values and the current time from children and status`,
  TooLarge: 'make the objects that the message names smaller, or raise MAX_RESOURCE_KIB and the memory of the operator',
  PruneNeedsConsent: 'set the annotation that the message names, or undo the change',
  ReleaseNeedsConsent: 'set the annotation that the message names, or undo the change',
  ImmutableField: 'undo the change, or delete the child, which is then created again',
  FieldConflict: 'stop the other client that the message names, or set the same value in the spec of the resource',
  AdmissionDenied: 'change the spec of the resource, or exempt the operator or the kind from the webhook or policy',
  Forbidden: doctor,
  UnobservedRead: doctor,
};

/** The next step for a stalled resource with a reason that its kind defines. Such a resource needs a change by a user. */
const STALLED = `change the spec of the resource as the message requires, or ${correctFunction}`;

/** The next step for a reason; empty if the resource is not stalled and its kind defines the reason. */
const remedyOf = (reason: string, { kind, metadata }: ApiObject, isStalled = false): string => {
  const remedy = memberOf(REMEDIES, reason) ?? (isStalled ? STALLED : '');
  return remedy.replace('<resource>', `${kind.toLowerCase()}/${metadata.name}`);
};

const causesOfResource = (object: ApiObject): readonly Cause[] => {
  const where = labelOf(object);
  const finalizers = at(object, 'metadata', 'finalizers');
  if (object.metadata.deletionTimestamp !== undefined)
    return [
      {
        where,
        why: `it is being deleted, and waits for ${Array.isArray(finalizers) ? finalizers.join(', ') : 'the garbage collector'}`,
        next: Array.isArray(finalizers) ? doctor : 'wait',
      },
    ];
  const ready = seenConditionOf(object, 'Ready');
  if (ready === undefined || (ready.observedGeneration === undefined && isUnseen(object)))
    return [{ where, why: 'no operator has looked at it yet', next: doctor }];
  if (ready.observedGeneration !== generationOf(object))
    return [{ where, why: 'its spec was edited, and no operator has looked at it since', next: doctor }];
  if (ready.status === 'True') return [];
  const isStalled = seenConditionOf(object, 'Stalled')?.status === 'True';
  const why = `${ready.reason}: ${ready.message || 'no message'}`;
  const next = remedyOf(ready.reason, object, isStalled);
  return [{ where, why: isStalled ? `it cannot go on by itself: ${why}` : why, next }];
};

const causesOfWorkload = (object: ApiObject): readonly Cause[] => {
  const where = labelOf(object);
  const failure = seenConditionOf(object, 'ReplicaFailure');
  if (failure?.status === 'True')
    return [{ where, why: `pods cannot be created: ${failure.message}`, next: remedyOf('QuotaExceeded', object) }];
  const progressing = seenConditionOf(object, 'Progressing');
  if (progressing?.status === 'False')
    return [{ where, why: `${progressing.reason}: ${progressing.message}`, next: '' }];
  return [];
};

const OWN: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job']);

const causesOfObject = (member: Member): readonly Cause[] => {
  const { object, resource } = member;
  if (object.kind === 'Pod' && object.apiVersion === 'v1')
    return readinessOf(object).isReady ? [] : causesOfPod(object);
  if (resource.definition !== undefined) return causesOfResource(object);
  return OWN.has(object.kind) && !readinessOf(object).isReady ? causesOfWorkload(object) : [];
};

/** All causes in a family, starting with the root. */
export const causesOf = (member: Member): readonly Cause[] => [
  ...causesOfObject(member),
  ...member.children.flatMap(causesOf),
];

/** A warning event about an object. */
export interface WarningEvent {
  readonly where: string;
  readonly reason: string;
  readonly message: string;
  /** The time of the last occurrence; empty if it is missing. */
  readonly at: string;
}

/** Events of the core API, which kubectl also reads. The API group events.k8s.io has the same objects. */
const EVENTS = { apiVersion: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced' } as const;

const SHOWN_EVENTS = 5;

const timeOf = (event: ApiObject): string =>
  textAt(event, 'series', 'lastObservedTime') ??
  textAt(event, 'lastTimestamp') ??
  textAt(event, 'eventTime') ??
  textAt(event, 'metadata', 'creationTimestamp') ??
  '';

/**
 * The last warnings about an object and its descendants, at most five, the newest first.
 *
 * @param onUnread - called for each namespace whose events cannot be listed
 */
export const warningsOf = async (
  api: Parameters<typeof listAll>[0],
  members: readonly ApiObject[],
  onUnread: (error: ApiError) => void,
): Promise<readonly WarningEvent[]> => {
  const eventsIn = async (namespace: string): Promise<readonly ApiObject[]> => {
    try {
      return (await listAll(api, EVENTS, { namespace })).items;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      onUnread(error);
      return [];
    }
  };
  // Events about cluster-scoped objects are in the namespace `default`.
  const namespaces = new Set(members.map(({ metadata }) => metadata.namespace ?? 'default'));
  const items = (await Promise.all([...namespaces].map(eventsIn))).flat();
  const labels = new Map(members.map((object) => [object.metadata.uid, labelOf(object)]));
  return items
    .flatMap((event) => {
      const where = labels.get(textAt(event, 'involvedObject', 'uid') ?? '');
      if (where === undefined || event['type'] !== 'Warning') return [];
      return [
        { where, reason: textAt(event, 'reason') ?? '', message: textAt(event, 'message') ?? '', at: timeOf(event) },
      ];
    })
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, SHOWN_EVENTS);
};
