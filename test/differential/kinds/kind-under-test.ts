import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import type { JsonObject } from '#lib/json.ts';

/** A kind whose objects the sequences are about, with the material that bodies are made of. */
export interface KindUnderTest {
  readonly resource: ResourceName;
  readonly kind: string;
  readonly namespaced: boolean;
  /** How often it is chosen. */
  readonly weight: number;
  /** Members of a valid object besides kind, apiVersion and metadata. */
  readonly base: JsonObject;
  /** Merge patches over the base, or over each other, that stay valid for the most part. */
  readonly variants: readonly JsonObject[];
  /** Merge patches with values that are wrong, or fields that do not exist. */
  readonly faults: readonly JsonObject[];
  /** Merge patches of status, for kinds with that subresource. */
  readonly statuses?: readonly JsonObject[];
  readonly hasScale?: boolean;
  /** Field selectors to try, besides those of metadata. */
  readonly fieldSelectors?: readonly string[];
  /** Other versions under which the same objects are served. */
  readonly otherVersions?: readonly string[];
  /** Whether such objects are only created, and never really. */
  readonly isOnlyTried?: boolean;
  /** The name of all objects, for kinds that want a certain one. */
  readonly fixedName?: string;
}

/** `apiVersion` of a resource's objects. */
export const apiVersionOf = ({ group, version }: ResourceName): string =>
  group === '' ? version : `${group}/${version}`;
