import type { RecordedEntry } from '#lib/foresight/page/run-recorder.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { eventResource } from '#lib/loop/events/event-object.ts';
import { at, textAt } from '../../../objects/json.ts';

/** Whether an object is a Kubernetes Event. */
export const isKubernetesEvent = (object: ApiObject | undefined): boolean =>
  object?.kind === eventResource.kind && object.apiVersion === eventResource.apiVersion;

/** Matches the reporting controllers of operators of this library, such as `cdk8s-reconcile/podset`. */
const OPERATOR = /^cdk8s-reconcile\//;

/** A Kubernetes Event as an entry of a timeline; `undefined` without an object. */
export const eventMessage = (event: ApiObject | undefined): Omit<RecordedEntry, 'atMs'> | undefined => {
  const regarding = at(event, 'regarding');
  const [apiVersion, kind, namespace, name] = ['apiVersion', 'kind', 'namespace', 'name'].map((member) =>
    textAt(regarding, member),
  );
  if (kind === undefined || name === undefined) return undefined;
  const who = textAt(event, 'reportingController') ?? '';
  const why = textAt(event, 'reason');
  return {
    sort: 'event',
    who: OPERATOR.test(who) ? 'operator' : who,
    object: `${kind} ${namespace === undefined || namespace === '' ? '' : `${namespace}/`}${name}`,
    ...(apiVersion !== undefined && { apiVersion }),
    what: textAt(event, 'note') ?? '',
    ...(why !== undefined && { why }),
    ...(textAt(event, 'type') === 'Warning' && { isBad: true }),
  };
};
