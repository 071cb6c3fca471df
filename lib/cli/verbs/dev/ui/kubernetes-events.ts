import type { TimelineEntry } from '#lib/foresight/simulate/report/report.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { eventResource } from '#lib/loop/events/event-object.ts';
import { at, textAt } from '../../../objects/json.ts';

/** Whether an object is a Kubernetes Event. */
export const isKubernetesEvent = (object: ApiObject | undefined): boolean =>
  object?.kind === eventResource.kind && object.apiVersion === eventResource.apiVersion;

/** Matches the reporting controllers of operators of this library, such as `cdk8s-reconcile/podset`. */
const OPERATOR = /^cdk8s-reconcile\//;

/** A Kubernetes Event as an entry of a timeline; `undefined` if the event names no object. */
export const eventMessage = (event: ApiObject | undefined): Omit<TimelineEntry, 'atMs'> | undefined => {
  const regarding = at(event, 'regarding');
  const [kind, namespace, name] = ['kind', 'namespace', 'name'].map((member) => textAt(regarding, member));
  if (kind === undefined || name === undefined) return undefined;
  const who = textAt(event, 'reportingController') ?? '';
  const why = textAt(event, 'reason');
  return {
    sort: 'event',
    who: OPERATOR.test(who) ? 'operator' : who,
    object: `${kind} ${namespace === undefined || namespace === '' ? '' : `${namespace}/`}${name}`,
    what: textAt(event, 'note') ?? '',
    ...(why !== undefined && { why }),
    ...(textAt(event, 'type') === 'Warning' && { isBad: true }),
  };
};
