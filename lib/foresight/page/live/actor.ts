import type { ManagedFieldsEntry, ServerObject } from '#lib/apiserver/machinery/object.ts';
import { equalJson } from '#lib/json.ts';

/** The client of the last write of an object. */
export interface LastWriter {
  /** The name of the actor, such as `operator`, `user` or `kubelet`; empty if it is unknown. */
  readonly who: string;
  /** Whether the client counts as a user: a known tool of users, or an unknown client that did not write a subresource. */
  readonly isUser: boolean;
}

const OPERATOR = /^cdk8s-reconcile\//;
/** The field managers of kubectl and of the commands of this library. */
const USER = /^(?:kubectl|cdk8s-reconcile-(?:cli|dev|ui)$)/;
/** The field managers of the components of Kubernetes. */
const COMPONENT = /^(?:kube-|kubelet$|k3s$|cloud-controller-manager$|Go-http-client$)/;

const entriesOf = (object: ServerObject | undefined): readonly ManagedFieldsEntry[] =>
  object?.metadata.managedFields ?? [];

const newest = (entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry | undefined => {
  let last: ManagedFieldsEntry | undefined;
  for (const entry of entries) if (last === undefined || (entry.time ?? '') >= (last.time ?? '')) last = entry;
  return last;
};

/** The entries of the clients that can have made a change: for a change of the status alone, those that write the status. */
const candidatesOf = (now: ServerObject, before: ServerObject | undefined): readonly ManagedFieldsEntry[] => {
  const entries = entriesOf(now);
  const isStatus =
    before !== undefined && equalJson(now['spec'], before['spec']) && !equalJson(now['status'], before['status']);
  const writers = isStatus ? entries.filter(({ subresource }) => subresource === 'status') : [];
  return writers.length === 0 ? entries : writers;
};

/**
 * Finds the client that wrote an object, by its managed fields: the newest of the entries that the write has changed. Times of
 * managed fields have whole seconds, so two writes by one client in one second can leave no difference; the newest entry of all
 * is the answer then.
 *
 * @param now - the object after the write
 * @param before - the object before the write; `undefined` for a new object
 */
export const lastWriterOf = (now: ServerObject, before: ServerObject | undefined): LastWriter => {
  const known = new Set(entriesOf(before).map((entry) => JSON.stringify(entry)));
  const entries = candidatesOf(now, before);
  const changed = entries.filter((entry) => !known.has(JSON.stringify(entry)));
  // A deletion leaves no entry.
  const isDeletion = now.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp && changed.length === 0;
  const entry = newest(changed) ?? (isDeletion ? undefined : newest(entries));
  const manager = entry?.manager ?? '';
  if (OPERATOR.test(manager)) return { who: 'operator', isUser: false };
  if (USER.test(manager)) return { who: 'user', isUser: true };
  return { who: manager, isUser: manager !== '' && entry?.subresource === undefined && !COMPONENT.test(manager) };
};
