import type { JsonObject } from '#lib/json.ts';
import type { ControlPlaneClient } from '#test/control-plane/client.ts';

/**
 * The contents of `lib/apiserver/http/discovery/metadata-texts.json`: descriptions of the fields that all objects
 * share.
 */
export interface MetadataTexts {
  /** Descriptions of `apiVersion`, `kind` and `metadata` of any object. */
  readonly object: Readonly<Record<string, string>>;
  readonly objectMeta: { readonly description: string; readonly properties: Readonly<Record<string, string>> };
}

interface Described {
  readonly description: string;
  readonly properties: Readonly<Record<string, { readonly description: string }>>;
}

const textsOf = (properties: Described['properties'], names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, properties[name]?.description ?? '']));

/** Reads the descriptions of metadata from a running API server. */
export const readMetadataTexts = async (plane: Pick<ControlPlaneClient, 'request'>): Promise<MetadataTexts> => {
  const { body } = await plane.request<{ readonly components: { readonly schemas: JsonObject } }>(
    'GET',
    '/openapi/v3/api/v1',
  );
  const schemas = body.components.schemas as unknown as Readonly<Record<string, Described>>;
  const meta = schemas['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'];
  const any = schemas['io.k8s.api.core.v1.ConfigMap'];
  if (meta === undefined || any === undefined)
    throw new Error('Cannot find ObjectMeta: the API server does not publish it');
  return {
    object: textsOf(any.properties, ['apiVersion', 'kind', 'metadata']),
    objectMeta: {
      description: meta.description,
      properties: textsOf(meta.properties, Object.keys(meta.properties).toSorted()),
    },
  };
};
