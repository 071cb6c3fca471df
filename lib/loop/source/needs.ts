import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { refOf } from '#lib/kind/names.ts';
import { type KindRef, resourceName } from '#lib/kind/reference.ts';
import { withFingerprint } from '#lib/loop/cache/fingerprint.ts';
import { type Projection, projectionOf, projectResource } from '#lib/loop/cache/projection.ts';
import { fieldOwnersOf } from '#lib/loop/field-manager.ts';

/** A resource that has to be watched, with all that has to be kept of its objects. */
export interface Need {
  readonly kind: KindRef;
  readonly project: Projection;
}

/** The identity of a source: two handles with the same one share a watch. */
export const sourceId = (kind: Pick<KindRef, 'apiVersion' | 'plural'>): string =>
  `${resourceName(kind)} ${kind.apiVersion}`;

/** What several kinds keep of the same child kind: the union; everything as soon as one keeps everything. */
const unionOfFields = (kinds: readonly KindRef[]): readonly string[] | undefined =>
  kinds.some((kind) => kind.fields === undefined)
    ? undefined
    : [...new Set(kinds.flatMap((kind) => kind.fields ?? []))];

/**
 * What has to be watched for some kinds: each resource once, whoever needs it, with the union of the fields that are read.
 *
 * @returns by {@link sourceId}
 */
export const needsOf = (definitions: readonly AnyKindDefinition[]): ReadonlyMap<string, Need> => {
  const own = new Set(definitions.map((definition) => sourceId(refOf(definition))));
  const ownerOf = fieldOwnersOf(definitions);
  const all = definitions.flatMap((definition) => [refOf(definition), ...definition.owns, ...(definition.reads ?? [])]);
  const needs = [...Map.groupBy(all, sourceId)].map(([id, kinds]) => {
    const project = own.has(id) ? projectResource : projectionOf(unionOfFields(kinds));
    return [id, { kind: kinds[0] as KindRef, project: withFingerprint(project, ownerOf) }] as const;
  });
  return new Map(needs);
};
