import type { JsonObject } from '#lib/json.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { RequestOptions, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { apiVersionOf } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind, ServedVersion, ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import type { Subject } from '#lib/apiserver/machinery/status.ts';
import type { Randomness } from './identity.ts';
import type { Drawer, Store } from './store.ts';

/** What a request is about: what its URL names, looked up. */
export interface Target {
  readonly kind: ServedKind;
  readonly version: ServedVersion;
  readonly drawer: Drawer;
  /** '' for cluster-scoped kinds, and for lists of all namespaces. */
  readonly namespace: string;
  /** '' for collections, and for what is yet to be created. */
  readonly name: string;
  /** As errors name it, with the plural. */
  readonly subject: Subject;
  readonly apiVersion: string;
}

/** What the handlers work with. */
export interface Server {
  readonly store: Store;
  readonly view: ServerView;
  /** Epoch milliseconds. */
  now(): number;
  /** Called with every object that is stored, and with every one that is removed. */
  readonly onPut: (target: Target, object: ServerObject) => void;
  readonly onRemove: (target: Target, object: ServerObject) => void;
  readonly namespaces: NamespaceLookup;
  /** Whether a kind is about to disappear, with its CustomResourceDefinition. */
  isGoingAway(kind: ServedKind): boolean;
  /** Where uids and generated names come from; absent: from what they belong to. */
  readonly random: Randomness | undefined;
}

/** What there is to know of a namespace that something is created in. */
export interface NamespaceLookup {
  find(name: string): 'active' | 'terminating' | undefined;
}

/** A request whose target is known. */
export interface Call {
  readonly server: Server;
  readonly target: Target;
  readonly request: ServerRequest;
  readonly options: RequestOptions;
}

/** `v1` or `group/version`. */
export const groupVersion = ({ group }: ServedKind, { name: version }: ServedVersion): string =>
  apiVersionOf({ group, version });

/** The subject of `Invalid`, which has the kind and not the plural. */
export const kindSubject = ({ kind }: Target, name: string): Subject => ({ group: kind.group, kind: kind.kind, name });

/** The manager of a request's fields. */
export const managerOf = ({ fieldManager }: RequestOptions): string =>
  fieldManager === undefined || fieldManager === '' ? 'unknown' : fieldManager;

/** An object with some members of its metadata changed; those of value undefined are taken away. */
export const withMetadata = <O extends JsonObject>(object: O, changes: JsonObject): O => {
  const isUnchanged = object['metadata'] !== undefined && Object.keys(changes).length === 0;
  if (isUnchanged) return object;
  const metadata: Record<string, unknown> = { ...(object['metadata'] as JsonObject | undefined) };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete metadata[name];
    else metadata[name] = value;
  }
  return { ...object, metadata };
};
