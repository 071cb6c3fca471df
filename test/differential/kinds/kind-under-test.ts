import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import type { JsonObject } from '#lib/json.ts';

/** A kind of the sequences, with the material for request bodies. */
export interface KindUnderTest {
  readonly resource: ResourceName;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The weight of the kind when a sequence chooses its kinds. */
  readonly weight: number;
  /** Members of a valid object besides kind, apiVersion and metadata. */
  readonly base: JsonObject;
  /** Merge patches of the base, or of each other, that mostly stay valid. */
  readonly variants: readonly JsonObject[];
  /** Merge patches with invalid values, or with unknown fields. */
  readonly faults: readonly JsonObject[];
  /** Merge patches of status, for kinds with that subresource. */
  readonly statuses?: readonly JsonObject[];
  readonly hasScale?: boolean;
  /** Field selectors to try, besides those of metadata. */
  readonly fieldSelectors?: readonly string[];
  /** Other versions under which the same objects are served. */
  readonly otherVersions?: readonly string[];
  /** Whether objects of the kind are created in dry runs only. */
  readonly isOnlyTried?: boolean;
  /** The name of all objects, for kinds that require one. */
  readonly fixedName?: string;
}

/** `apiVersion` of a resource's objects. */
export const apiVersionOf = ({ group, version }: ResourceName): string =>
  group === '' ? version : `${group}/${version}`;
