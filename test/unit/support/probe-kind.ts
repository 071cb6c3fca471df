import { defineKind } from '#lib/desired/definition.ts';
import { elsewhereName } from '#lib/desired/marks/elsewhere.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { PriorityClass } from '#lib/kind/handles/built-in-handles.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap, type KubeObject } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';

/** The handle of the rules of probes. */
const Rules = elsewhere(ConfigMap, { namespaces: ['monitoring', 'logging'] });

/** The handle of the priority classes of probes. */
const Class = elsewhere(PriorityClass);

/**
 * A namespaced kind with a ConfigMap in its namespace, a ConfigMap in each namespace of its spec, and a cluster-scoped
 * PriorityClass. `names` replaces the names of the ConfigMaps elsewhere.
 */
export const probe = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Probe',
  spec: s.object({
    text: s.string({ maxLength: 64 }),
    targets: s.set(s.string({ maxLength: 63 }), { maxItems: 10 }),
    priority: s.int32({ minimum: 0, maximum: 1000, default: 0 }),
    name: s.optional(s.string({ maxLength: 253 })),
  }),
  status: s.object({ home: s.int32({ minimum: 0 }), away: s.string({ maxLength: 4096 }) }),
  owns: [ConfigMap, Rules, Class],
  desired({ resource, children }) {
    const { text, targets, priority, name } = resource.spec;
    const place = elsewhereName(resource, resource.metadata.name);
    const configMap = (metadata: KubeObject['metadata'] & object) =>
      apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } });
    const away = children.of(Rules).map(({ metadata }) => metadata?.namespace ?? '');
    return {
      children: [
        configMap({ name: resource.metadata.name }),
        ...targets.map((namespace) => configMap({ name: name ?? place, namespace })),
        ...(priority > 0
          ? [
              apply({
                apiVersion: PriorityClass.apiVersion,
                kind: 'PriorityClass',
                metadata: { name: place },
                value: priority,
              }),
            ]
          : []),
      ],
      status: { home: children.of(ConfigMap).length, away: away.join(' ') },
      state:
        away.length === targets.length
          ? ready('Watched', `${away.length} rules`)
          : progressing('Writing', `${away.length} of ${targets.length} rules`),
    };
  },
});
