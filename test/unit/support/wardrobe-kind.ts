import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigMap, Deployment, type KubeObject, Pod, Service } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';

/** The spec of the children of a wardrobe. */
export interface WardrobeSpec {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly image?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly ports?: readonly object[];
  /** The kinds of children to create. @default all but the pod */
  readonly kinds?: readonly string[];
}

const pods = ({ image = 'busybox' }: WardrobeSpec) => ({ containers: [{ name: 'main', image }] });

const childrenOf = (name: string, spec: WardrobeSpec): KubeObject[] => {
  const { labels = {}, annotations = {}, data = {}, ports = [{ name: 'http', port: 80 }] } = spec;
  const metadata = { name, labels, annotations };
  const selector = { app: name };
  const template = { metadata: { labels: selector }, spec: pods(spec) };
  const all: (KubeObject & Readonly<Record<string, unknown>>)[] = [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { replicas: 2, selector: { matchLabels: selector }, template },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector, ports } },
    { apiVersion: 'v1', kind: 'Pod', metadata, spec: pods(spec) },
  ];
  const { kinds = ['Deployment', 'ConfigMap', 'Service'] } = spec;
  return all.filter(({ kind = '' }) => kinds.includes(kind));
};

/** A kind with children of every sort: a Deployment, a ConfigMap, a Service and, if asked for, a pod, all named after it. */
export const wardrobe: AnyKindDefinition = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Wardrobe',
  spec: s.object({
    content: s.unsafe<WardrobeSpec>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
  }),
  status: s.object({}),
  owns: [Deployment, ConfigMap, Service, Pod],
  desired: ({ resource }) => ({
    children: childrenOf(resource.metadata.name, resource.spec.content).map((object) => apply(object)),
    status: {},
    state: ready('Complete', 'all declared'),
  }),
});
