import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';

/** The namespaces in which lenses look up ConfigMaps. */
export const LENS_PLACES = ['platform', 'themes'] as const;

const Configs = elsewhere(ConfigMap, { namespaces: LENS_PLACES });

/** A kind that shows the text of a ConfigMap in another namespace, which may have any name. */
export const lens = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Lens',
  plural: 'lenses',
  description: 'A lens.',
  spec: s.object(
    { config: s.string({ maxLength: 253, description: 'The ConfigMap, as <namespace>/<name>.' }) },
    { description: 'Where to look.' },
  ),
  status: s.object({ text: s.string({ maxLength: 64, description: 'The text.' }) }, { description: 'What is there.' }),
  owns: [],
  reads: [Configs],
  desired({ resource, related }) {
    const text = related.get(Configs, resource.spec.config)?.data?.['text'] ?? 'missing';
    return { children: [], status: { text }, state: ready('Read', 'the text is in the status') };
  },
});
