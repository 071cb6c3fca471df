import { ApiError } from '#lib/errors.ts';
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

/**
 * The next step for a reason; empty for reasons that are not in this function. Messages of kinds already contain the next step.
 */
const remedyOf = (reason: string, object: ApiObject): string => {
  const word = `${object.kind.toLowerCase()}/${object.metadata.name}`;
  switch (reason) {
    case 'RolloutPaused':
      return `cdk8s-reconcile rollout promote ${word}, or resume, skip, abort`;
    case 'RolloutAborted':
      return `ask for another version, or cdk8s-reconcile rollout retry ${word}`;
    case 'NameConflict':
      return 'delete or rename that object, or rename the resource';
    case 'QuotaExceeded':
      return 'raise the ResourceQuota of the namespace, or ask for less';
    case 'DesiredFailed':
      return 'correct the function of the kind';
    case 'InvalidDesired':
      return 'correct the result of the function';
    case 'DesiredHung':
      return 'correct the function of the kind, or change the spec of the resource';
    case 'Forbidden':
    case 'UnobservedRead':
      return doctor;
    default:
      return '';
  }
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
  const next = remedyOf(ready.reason, object);
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
