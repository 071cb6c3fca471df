import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { s } from '#lib/kind/schema/schema.ts';

/** A small valid kind, with some members replaced. */
export const kindWith = (definition: Partial<AnyKindDefinition>): AnyKindDefinition => ({
  ...defineKind({
    group: 'demo.example.com',
    version: 'v1',
    kind: 'Note',
    spec: s.object({}),
    status: s.object({}),
    owns: [],
    desired: () => ({ children: [], status: {}, state: ready('Done', '') }),
  }),
  ...definition,
});
