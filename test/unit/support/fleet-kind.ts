import { defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { ConfigMap, type KubeObject } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { s } from '#lib/kind/schema/schema.ts';

/** A cluster-scoped kind without children: the child of another one. */
export const flag = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Flag',
  scope: 'Cluster',
  spec: s.object({ colour: s.string({ maxLength: 4096 }) }),
  status: s.object({}),
  owns: [],
  desired: () => ({ children: [], status: {}, state: ready('Flies', 'nothing to do') }),
});

const Flag = refOf(flag);

const harbourOf = (namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'harbour', namespace },
});

/** A cluster-scoped kind that owns a cluster-scoped object, and one of the same name in every namespace of its spec. */
export const fleet = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Fleet',
  scope: 'Cluster',
  spec: s.object({
    colour: s.string({ maxLength: 4096 }),
    harbours: s.set(s.string({ maxLength: 63 }), { maxItems: 1000 }),
  }),
  status: s.object({ harbours: s.string({ maxLength: 4096 }), visible: s.string({ maxLength: 4096 }) }),
  owns: [Flag, ConfigMap],
  reads: [ConfigMap],
  selector: ({ metadata }) => ({ fleet: metadata.name }),
  desired({ resource, children, related }) {
    const { colour, harbours } = resource.spec;
    const { name } = resource.metadata;
    const present = children.of(ConfigMap).map(({ metadata }) => metadata?.namespace ?? '');
    const banner = { apiVersion: Flag.apiVersion, kind: 'Flag', metadata: { name }, spec: { colour } };
    return {
      children: [apply(banner), ...harbours.map((namespace) => apply(harbourOf(namespace)))],
      status: {
        harbours: present.join(' '),
        visible: harbours.filter((namespace) => related.get(ConfigMap, `${namespace}/chart`)).join(' '),
      },
      state:
        present.length === harbours.length
          ? ready('Moored', `${present.length} harbours`)
          : progressing('Sailing', `${present.length} of ${harbours.length} harbours`),
    };
  },
});
