import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ELSEWHERE_LABEL } from '#lib/desired/marks/elsewhere.ts';
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
    definitions.flatMap((definition) => {
      const owner = {
        manager: fieldManagerOf(definition),
        createdOnce: new Set(definition.owns.filter((kind) => kind.createOnce).map(({ kind }) => kind)),
      };
      const way = definition.extension ? ownerLabel(definition) : `${definition.group} ${definition.kind}`;
      return [
        [way, owner],
        [`${ELSEWHERE_LABEL} ${ownerLabel(definition)}`, owner],
      ] as const;
    }),
  );
  return ({ kind }, { owner: { apiVersion, kind: ownerKind }, label, marked }) => {
    const way = marked && `${ELSEWHERE_LABEL} ${marked.definition}`;
    const owner = byWay.get(way ?? label ?? `${groupOf(apiVersion)} ${ownerKind}`);
    return owner && { manager: owner.manager, updates: owner.createdOnce.has(kind) };
  };
};
