import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';

/** One child of a shelf, as its function declares it. */
export const bookPod = (name: string): KubeObject & { readonly spec: object } => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'book', image: 'busybox' }] },
});

/** A pod of another writer. */
export const strangersPod = (name: string, metadata: object = {}) => ({
  ...bookPod(name),
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...metadata },
});

/** The smallest kind with children: a pod for every name in its spec, and nothing else. */
export const shelf = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Shelf',
  plural: 'shelves',
  spec: s.object({ books: s.set(s.string({ maxLength: 63 }), { maxItems: 2000 }) }),
  status: s.object({ count: s.int32(), note: s.optional(s.string({ maxLength: 4096 })) }),
  owns: [Pod],
  desired({ resource, children }) {
    const wanted = resource.spec.books;
    const present = children.of(Pod).filter((pod) => wanted.includes(pod.metadata?.name ?? ''));
    return {
      children: wanted.map((name) => apply(bookPod(name))),
      status: { count: present.length },
      state:
        present.length === wanted.length
          ? ready('Complete', `${wanted.length} books`)
          : progressing('Filling', `${present.length} of ${wanted.length} books`),
    };
  },
});

/** The input of the function of a shelf. */
export type ShelfSeen = Parameters<typeof shelf.desired>[0];

/** The result of the function of a shelf. */
export type ShelfAnswer = ReturnType<typeof shelf.desired>;

/** A shelf with another function. */
export const shelfThat = (desired: (seen: ShelfSeen) => ShelfAnswer): AnyKindDefinition =>
  defineKind({ ...shelf, desired });
