import type { JsonObject } from '#lib/json.ts';
import type { ControlPlaneClient } from '#test/control-plane/client.ts';
import { groupVersions } from './built-in-kinds.ts';
import { type Definitions, definitionsOf } from './definitions.ts';

/** The contents of `lib/apiserver/builtin/codec/openapi.json`. */
export interface BuiltInTypes {
  /** The source of the definitions. */
  readonly source: { readonly server: string; readonly paths: readonly string[]; readonly script: string };
  readonly definitions: Definitions;
}

type OpenApi = { readonly components: { readonly schemas: JsonObject } };

/** Reads the types of the built-in kinds from a running API server. */
export const readBuiltInTypes = async (plane: Pick<ControlPlaneClient, 'request'>): Promise<BuiltInTypes> => {
  const version = await plane.request<{ readonly gitVersion: string }>('GET', '/version');
  const paths = groupVersions.map(({ path }) => `/openapi/v3/${path}`);
  const documents = await Promise.all(paths.map((path) => plane.request<OpenApi>('GET', path)));
  const schemas = Object.assign({}, ...documents.map(({ body }) => body.components.schemas)) as JsonObject;
  return {
    source: { server: version.body.gitVersion, paths, script: 'npm run openapi' },
    definitions: definitionsOf(
      schemas,
      groupVersions.flatMap(({ kinds }) => kinds),
    ),
  };
};
