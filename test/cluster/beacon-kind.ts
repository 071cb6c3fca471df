import { defineKind } from '#lib/desired/definition.ts';
import { elsewhereName } from '#lib/desired/marks/elsewhere.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { PriorityClass } from '#lib/kind/handles/built-in-handles.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';

/** The namespaces in which beacons have ConfigMaps. The name of a namespace may begin with a digit. */
export const BEACON_PLACES = ['monitoring', 'logging', '2026-logs'] as const;

const Lights = elsewhere(ConfigMap, { namespaces: BEACON_PLACES });

/**
 * A namespaced kind whose children are all elsewhere: ConfigMaps in the namespaces of its spec, and a PriorityClass. The spec can
 * ask for a namespace and a name that the definition does not allow.
 */
export const beacon = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Beacon',
  description: 'A beacon.',
  spec: s.object(
    {
      text: s.string({ maxLength: 64, description: 'The text of the ConfigMaps.' }),
      targets: s.set(s.string({ maxLength: 63 }), { maxItems: 10, description: 'The namespaces.' }),
      priority: s.int32({ minimum: 0, maximum: 1000, default: 0, description: 'The value of the class; 0 for none.' }),
      name: s.optional(s.string({ maxLength: 253, description: 'The name of the ConfigMaps.' })),
    },
    { description: 'What to light.' },
  ),
  status: s.object({ lit: s.int32({ minimum: 0, description: 'How many.' }) }, { description: 'What is lit.' }),
  owns: [Lights, elsewhere(PriorityClass)],
  desired({ resource, children }) {
    const { text, targets, priority, name } = resource.spec;
    const place = elsewhereName(resource, resource.metadata.name);
    const metadata = { name: place };
    const lit = children.of(ConfigMap).length;
    return {
      children: [
        ...targets.map((namespace) =>
          apply({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: name ?? place, namespace },
            data: { text },
          }),
        ),
        ...(priority > 0
          ? [apply({ apiVersion: PriorityClass.apiVersion, kind: 'PriorityClass', metadata, value: priority })]
          : []),
      ],
      status: { lit },
      state: lit === targets.length ? ready('Lit', `${lit} lit`) : progressing('Lighting', `${lit} lit`),
    };
  },
});
