import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ownerLabel } from '#lib/desired/marks/names.ts';
import { groupOf } from '#lib/kind/handles/reference.ts';
import { namesOf } from '#lib/kind/names.ts';
import type { FieldOwnerOf } from '#lib/loop/cache/projection/fingerprint.ts';

/** The field manager of all writes for a kind. The name is the same for all versions of the kind. */
export const fieldManagerOf = (definition: Pick<AnyKindDefinition, 'group' | 'kind' | 'plural'>): string =>
  `cdk8s-reconcile/${namesOf(definition).crdName}`;

/** Makes a function that returns the field manager of the kind or extension that owns a child; undefined for other owners. */
export const fieldOwnersOf = (definitions: readonly AnyKindDefinition[]): FieldOwnerOf => {
  const byWay = new Map(
    definitions.map((definition) => [
      definition.extension ? ownerLabel(definition) : `${definition.group} ${definition.kind}`,
      {
        manager: fieldManagerOf(definition),
        createdOnce: new Set(definition.owns.filter((kind) => kind.createOnce).map(({ kind }) => kind)),
      },
    ]),
  );
  return ({ kind }, { owner: { apiVersion, kind: ownerKind }, label }) => {
    const owner = byWay.get(label ?? `${groupOf(apiVersion)} ${ownerKind}`);
    return owner && { manager: owner.manager, updates: owner.createdOnce.has(kind) };
  };
};
