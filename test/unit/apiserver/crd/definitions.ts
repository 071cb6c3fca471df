import { podSet } from '#constructs/pod-set/kind.ts';
import { definitionKind } from '#lib/apiserver/crd/definition-kind.ts';
import { definitionStrategy } from '#lib/apiserver/crd/definition-strategy.ts';
import type { FieldError } from '#lib/apiserver/machinery/field-error.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { StatusError } from '#lib/apiserver/machinery/status.ts';
import { compileCrd } from '#lib/kind/crd.ts';

/** The only version of CRDs. */
export const version = definitionKind.versions[0] ?? { name: 'v1', schema: {}, hasStatus: true };

/** A CRD as the server stores it, with metadata, not validated. */
export const stored = (crd: object, metadata: object = {}): ServerObject => {
  const { object } = definitionStrategy.decode(crd as ServerObject, version);
  const created = definitionStrategy.setDefaults(object as ServerObject, version);
  const prepared = definitionStrategy.prepareForCreate(created, version);
  const meta = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata };
  return { ...prepared, metadata: { ...prepared.metadata, ...meta } };
};

/** The answer to a creation of a CRD: causes, or the message of another refusal. */
export const judged = (crd: object): { causes?: readonly FieldError[]; code: number; message?: string } => {
  try {
    const causes = definitionStrategy.validateCreate(stored(crd), version);
    return causes.length === 0 ? { code: 201 } : { code: 422, causes };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { code: error.status.code ?? 0, message: error.status.message ?? '' };
  }
};

/** The answer to an update of a CRD. */
export const judgedUpdate = (crd: ServerObject, old: ServerObject): readonly FieldError[] =>
  definitionStrategy.validateUpdate(crd, old, { subresource: '', version });

/** The compiled CRD of a kind of this repository. */
export const podSetCrd = (): object => compileCrd(podSet);

/** A small CRD of a cluster-scoped kind; members of its spec can be replaced. */
export const definition = (spec: object = {}, group = 'example.com', plural = 'things'): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    names: { plural, kind: 'Thing' },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
      },
    ],
    ...spec,
  },
});

/** A CRD with one version of this schema. */
export const definitionOf = (schema: object, version: object = {}): object =>
  definition({
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
  });
