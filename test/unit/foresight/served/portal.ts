import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { apply, ConfigMap, defineKind, elsewhere, type KindRef, ready, s } from '#lib/index.ts';

/** A built-in kind that no cluster in memory serves. */
export const RuntimeClass: KindRef = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  scope: 'Cluster',
};

/** A kind that is served only with a CRD. */
export const Certificate: KindRef = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  plural: 'certificates',
  scope: 'Namespaced',
};

const GROUP = 'web.example.com';

const shape = (kind: string) => ({
  group: GROUP,
  version: 'v1',
  kind,
  description: `${kind} of a test.`,
  spec: s.object({ text: s.string({ maxLength: 9, description: 'Any.' }) }),
  status: s.object({}),
});

/** A kind that owns a ConfigMap, which every cluster serves. */
export const website = defineKind({
  ...shape('Website'),
  owns: [ConfigMap],
  desired: ({ resource: { metadata, spec } }) => ({
    children: [
      apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: metadata.name }, data: { text: spec.text } }),
    ],
    status: {},
    state: ready('Written', 'the text is written'),
  }),
});

/** A kind that owns these kinds, and creates nothing. */
export const ownerOf = (kind: string, owns: readonly KindRef[], reads: readonly KindRef[] = []): AnyKindDefinition =>
  defineKind({
    ...shape(kind),
    owns,
    reads,
    desired: () => ({ children: [], status: {}, state: ready('Open', 'it is open') }),
  });

/** Owns a RuntimeClass. */
export const portal = ownerOf('Portal', [elsewhere(RuntimeClass)]);

/** A resource of one of these kinds. */
export const resourceOf = (kind: string, name = 'example') => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name },
  spec: { text: 'a' },
});

/** A CustomResourceDefinition of {@link Certificate}. */
export const certificateDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'certificates.cert-manager.io' },
  spec: {
    group: 'cert-manager.io',
    scope: 'Namespaced',
    names: { kind: 'Certificate', listKind: 'CertificateList', plural: 'certificates', singular: 'certificate' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
