import type { JsonObject } from '#lib/json.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';

/** An object as printed by `kubectl get -o json`, or from a manifest. */
export interface LiveObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    /** The uid of the object; absent in a manifest. */
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly OwnerReference[];
    readonly managedFields?: readonly JsonObject[];
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** The API version, the kind, the namespace and the name of an object. */
export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  /** The namespace; empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

/** An object in words, such as `Pod default/web-1`. A cluster-scoped object has no namespace in this text. */
export const nameInWords = ({ kind, namespace, name }: ObjectName): string =>
  `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
