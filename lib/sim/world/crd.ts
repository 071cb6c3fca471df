import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import type { JsonObject } from '#lib/kind/json.ts';
import { namesOf } from '#lib/kind/names.ts';
import { apiVersionOf, resources } from '#lib/sim/machinery/resources.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';
import { userOf } from './user.ts';

type Crd = JsonObject & { readonly metadata: { readonly name: string } };

/** Every run of a scenario installs the same. */
const compiled = new WeakMap<AnyKindDefinition, Crd>();

/** The CustomResourceDefinition of a kind. */
const crdOf = (kind: AnyKindDefinition): Crd => {
  const known = compiled.get(kind);
  if (known !== undefined) return known;
  const crd: Crd = { ...compileCrd(kind), metadata: { name: namesOf(kind).crdName } };
  compiled.set(kind, crd);
  return crd;
};

const CRDS = { apiVersion: apiVersionOf(resources.definitions), plural: resources.definitions.plural };

/**
 * Installs the CustomResourceDefinitions of some kinds that are not installed yet.
 *
 * @throws {SimulationError} when one is refused
 */
export const installKinds = (server: ApiServer, kinds: readonly AnyKindDefinition[]): void => {
  const installed = server.objects(resources.definitions);
  const names = new Set(installed.map(({ metadata }) => metadata.name));
  const missing = kinds.map(crdOf).filter(({ metadata }) => !names.has(metadata.name));
  for (const crd of missing) userOf(server).create(CRDS, crd);
};
