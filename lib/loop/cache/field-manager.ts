import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { groupOf } from '#lib/kind/handles/reference.ts';
import { namesOf } from '#lib/kind/names.ts';
import type { FieldOwnerOf } from '#lib/loop/cache/projection/fingerprint.ts';

/** The name under which all writes for a kind are made: one per kind, never with a version. */
export const fieldManagerOf = (definition: Pick<AnyKindDefinition, 'group' | 'kind' | 'plural'>): string =>
  `cdk8s-reconcile/${namesOf(definition).crdName}`;

/** Returns a function that finds the owner of the fields that matter in an object: the field manager of the controlling kind. */
export const fieldOwnersOf = (definitions: readonly AnyKindDefinition[]): FieldOwnerOf => {
  const byController = new Map(
    definitions.map((definition) => [
      `${definition.group}/${definition.kind}`,
      {
        manager: fieldManagerOf(definition),
        createdOnce: new Set(definition.owns.filter((kind) => kind.createOnce).map(({ kind }) => kind)),
      },
    ]),
  );
  return ({ kind }, controller) => {
    const owner = byController.get(`${groupOf(controller.apiVersion)}/${controller.kind}`);
    return owner && { manager: owner.manager, updates: owner.createdOnce.has(kind) };
  };
};
