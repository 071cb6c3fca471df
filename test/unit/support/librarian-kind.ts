import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigMap, type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { WrittenObject } from './fake-api.ts';

const namesOf = (objects: readonly KubeObject[]): string => objects.map(({ metadata }) => metadata?.name).join(' ');

/**
 * A kind without children. It records in its status the ConfigMaps that its spec names, those with its label, and the orphans.
 */
export const librarian = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Librarian',
  spec: s.object({
    wants: s.optional(s.string({ maxLength: 4096 })),
    tier: s.optional(s.string({ maxLength: 4096 })),
    shelf: s.optional(s.string({ maxLength: 4096 })),
  }),
  status: s.object({
    wanted: s.string({ maxLength: 4096 }),
    listed: s.string({ maxLength: 4096 }),
    orphans: s.string({ maxLength: 4096 }),
  }),
  owns: [Pod],
  reads: [ConfigMap],
  selector: ({ spec }): Record<string, string> => (spec.shelf === undefined ? {} : { shelf: spec.shelf }),
  desired({ resource, orphans, related }) {
    const { wants, tier } = resource.spec;
    const found = wants === undefined ? undefined : related.get(ConfigMap, wants);
    return {
      children: [],
      status: {
        wanted: found?.data?.['text'] ?? 'missing',
        listed: tier === undefined ? '' : namesOf(related.list(ConfigMap, { tier })),
        orphans: namesOf(orphans.of(Pod)),
      },
      state: ready('Noted', 'all is noted'),
    };
  },
});

/** A ConfigMap of another writer. */
export const bookConfigMap = (
  name: string,
  { text = name, ...metadata }: { text?: string; [field: string]: unknown } = {},
): WrittenObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...metadata },
  data: { text },
});
