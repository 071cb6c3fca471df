import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainObject } from '#lib/json.ts';
import type { ControlPlaneClient } from '#test/control-plane/client.ts';

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, Record<string, unknown>>> };
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';

/** Makes undeclared fields invalid: the server drops them, or refuses them when it is strict. */
const strict = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(strict);
  if (!isPlainObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, strict(value)]));
  const isClosed = isPlainObject(schema['properties']) && schema['type'] === 'object';
  const isOpen = 'additionalProperties' in schema || schema[PRESERVE] === true;
  return isClosed && !isOpen ? { ...inner, additionalProperties: false } : inner;
};

const fileName = ({ group, version, kind }: GroupVersionKind): string =>
  [kind, group.split('.')[0], version].filter(Boolean).join('-').toLowerCase();

const kindsOf = (schema: Record<string, unknown>): readonly GroupVersionKind[] =>
  (schema['x-kubernetes-group-version-kind'] as readonly GroupVersionKind[] | undefined) ?? [];

/**
 * Writes one JSON schema for each kind that an API server publishes, under the names that kubeconform expects.
 *
 * @param plane - with the kinds of the bundle installed
 * @param options - `apiVersions`: the ones to write; `folder`: an empty one
 * @returns the pattern of their paths, for `-schema-location`
 */
export const writeSchemas = async (
  plane: Pick<ControlPlaneClient, 'request'>,
  { apiVersions, folder }: { readonly apiVersions: readonly string[]; readonly folder: string },
): Promise<string> => {
  for (const apiVersion of apiVersions) {
    const path = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
    const { body } = await plane.request<Document>('GET', `/openapi/v3/${path}`);
    const schemas = body.components?.schemas ?? {};
    const components = strict({ schemas });
    for (const [name, schema] of Object.entries(schemas)) {
      const kind = kindsOf(schema).find((each) => [each.group, each.version].filter(Boolean).join('/') === apiVersion);
      if (kind === undefined || kind.kind.endsWith('List') || kind.kind.endsWith('Options')) continue;
      const text = JSON.stringify({ $ref: `#/components/schemas/${name}`, components });
      await writeFile(join(folder, `${fileName(kind)}.json`), text);
    }
  }
  return join(folder, '{{ .ResourceKind }}{{ .KindSuffix }}.json');
};
