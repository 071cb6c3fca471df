import { defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ConfigMap, labelled, Pod } from '#lib/kind/handles/reference.ts';
import { shelf } from './shelf-kind.ts';

/** The label of the kind's children, by which the watches select them. */
export const LABEL = 'demo.example.com/shelf';
const note = apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } } as never);
/** A pod for every book, and a note; its watches are filtered by label. */
export const filtered = defineKind({
  ...shelf,
  owns: [labelled(Pod), labelled(ConfigMap)],
  desired(seen) {
    const wanted = shelf.desired(seen);
    return { ...wanted, children: [...wanted.children, note] };
  },
});
