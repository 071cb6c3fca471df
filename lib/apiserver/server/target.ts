import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { RequestOptions, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { apiVersionText } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind, ServedVersion, ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import type { Subject } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Randomness } from './store/identity.ts';
import type { Collection, Store } from './store/store.ts';

/** The kind, version and object that a URL names. */
export interface Target {
  readonly kind: ServedKind;
  readonly version: ServedVersion;
  readonly collection: Collection;
  /** '' for cluster-scoped kinds, and for lists of all namespaces. */
  readonly namespace: string;
  /** The name; '' for collections, and for new objects, which have their name in the body. */
  readonly name: string;
  /** The object in error messages, with the plural of its kind. */
  readonly subject: Subject;
  readonly apiVersion: string;
}

/** The parts of the server that handlers use. */
export interface Server {
  readonly store: Store;
  readonly view: ServerView;
  /** Returns the current time in epoch milliseconds. */
  now(): number;
  /** Called after an object was stored; `onRemove` is called after an object was removed. */
  readonly onPut: (target: Target, object: ServerObject) => void;
  readonly onRemove: (target: Target, object: ServerObject) => void;
  readonly namespaces: NamespaceLookup;
  /** Whether the CustomResourceDefinition of a kind is terminating. The server then refuses new instances of the kind. */
  isGoingAway(kind: ServedKind): boolean;
  /** Source of uids and generated names; undefined if they are derived from the object. */
  readonly random: Randomness | undefined;
}

/** Finds namespaces, for the checks of writes in a namespace. */
export interface NamespaceLookup {
  find(name: string): 'active' | 'terminating' | undefined;
}

/** A request with its resolved target. */
export interface Call {
  readonly server: Server;
  readonly target: Target;
  readonly request: ServerRequest;
  readonly options: RequestOptions;
}

/** Returns the apiVersion: `v1` or `group/version`. */
export const groupVersion = ({ group }: ServedKind, { name: version }: ServedVersion): string =>
  apiVersionText({ group, version });

/** Returns the subject of errors with the reason `Invalid`, which contain the kind in place of the plural. */
export const kindSubject = ({ kind }: Target, name: string): Subject => ({ group: kind.group, kind: kind.kind, name });

/** Returns the field manager of a request; `unknown` by default. */
export const managerOf = ({ fieldManager }: RequestOptions): string =>
  fieldManager === undefined || fieldManager === '' ? 'unknown' : fieldManager;

/** Returns the object with changed members of its metadata. The value undefined removes a member. */
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
