import type { JsonObject } from '#lib/json.ts';
import type { OwnerReference } from '#lib/kind/reference.ts';

/** An object as `kubectl get -o json` prints it, or as somebody wrote it into a manifest. */
export interface LiveObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    /** Absent from what no API server has seen yet. */
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

/** Names one object. */
export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

/** `Pod default/web-1`; the name alone of a cluster-scoped object. */
export const nameInWords = ({ kind, namespace, name }: ObjectName): string =>
  `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
