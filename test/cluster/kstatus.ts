import { isPlainObject, memberOf } from '#lib/json.ts';

/** The status of an object by kstatus. */
export type KStatus = 'Terminating' | 'InProgress' | 'Failed' | 'Current';

interface Condition {
  readonly type: string;
  readonly status: string;
}

const part = (object: unknown, name: string): Readonly<Record<string, unknown>> => {
  const found = isPlainObject(object) ? memberOf(object, name) : undefined;
  return isPlainObject(found) ? found : {};
};

/**
 * The rules by which Flux and Helm determine whether a custom resource is ready.
 *
 * @see https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/status/generic.go (`checkGenericProperties`)
 * @see https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/status/core.go (`checkReadyCondition`)
 */
export const kstatusOf = (object: unknown): KStatus => {
  const [metadata, status] = [part(object, 'metadata'), part(object, 'status')];
  if (metadata['deletionTimestamp'] !== undefined) return 'Terminating';
  const { observedGeneration, conditions = [] } = status;
  if (observedGeneration !== undefined && observedGeneration !== metadata['generation']) return 'InProgress';
  const all = conditions as readonly Condition[];
  const is = (type: string, value: string): boolean => all.some((each) => each.type === type && each.status === value);
  if (is('Reconciling', 'True')) return 'InProgress';
  if (is('Stalled', 'True')) return 'Failed';
  if (is('Ready', 'False') || is('Ready', 'Unknown')) return 'InProgress';
  return 'Current';
};
