import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ControllerRevision } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';

/** A kind with one ControllerRevision, whose data it reads when its spec says so. */
export const album = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Album',
  plural: 'albums',
  spec: s.object({
    length: s.int32(),
    reads: s.boolean({ default: false }),
  }),
  status: s.object({ seen: s.optional(s.string({ maxLength: 64 })) }),
  owns: [ControllerRevision],
  desired({ resource: { metadata, spec }, children }) {
    const [page] = children.of(ControllerRevision);
    const text = spec.reads ? (page?.data as { readonly text: string } | undefined)?.text : undefined;
    const object = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: metadata.name },
      revision: 1,
      data: { text: 'x'.repeat(spec.length) },
    };
    return {
      children: [apply(object)],
      status: text === undefined ? {} : { seen: `${text.length}` },
      state: ready('Complete', 'complete'),
    };
  },
});

/** The input of the function of an album. */
export type AlbumSeen = Parameters<typeof album.desired>[0];

/** An album with another function. */
export const albumThat = (desired: (seen: AlbumSeen) => ReturnType<typeof album.desired>): AnyKindDefinition =>
  defineKind({ ...album, desired });
