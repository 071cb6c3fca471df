import { apiVersionText, resources } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { definedKinds } from '#lib/desired/extension/parents.ts';
import { namespacesElsewhere } from '#lib/desired/rights/policy-rules.ts';
import { SimulationError } from '#lib/errors.ts';
import type { JsonObject } from '#lib/json.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { namesOf } from '#lib/kind/names.ts';
import { shapeAt } from '#lib/kind/versions/chain.ts';
import { errorInWords } from '#lib/sim/world/step/wording.ts';
import { userOf } from './user.ts';

type Crd = JsonObject & { readonly metadata: { readonly name: string } };

/** Compiled CRDs, by kind, because every run of a scenario installs the same CRDs. */
const compiled = new WeakMap<AnyKindDefinition, Crd>();

/** The CustomResourceDefinition of a kind, with only one version: the version that its functions read. */
const crdOf = (kind: AnyKindDefinition): Crd => {
  const known = compiled.get(kind);
  if (known !== undefined) return known;
  const crd: Crd = { ...compileCrd(shapeAt(kind, kind)), metadata: { name: namesOf(kind).crdName } };
  compiled.set(kind, crd);
  return crd;
};

const CRDS = { apiVersion: apiVersionText(resources.definitions), plural: resources.definitions.plural };

const install = (server: ApiServer, crd: Crd): void => {
  try {
    userOf(server).create(CRDS, crd);
  } catch (cause) {
    throw new SimulationError(`Cannot install ${crd.metadata.name}: ${errorInWords(cause)}`, { cause });
  }
};

const NAMESPACES = { apiVersion: 'v1', plural: 'namespaces' };

/** Creates the missing namespaces that `elsewhere()` names, because the children need them. */
const makeNamespaces = (server: ApiServer, names: readonly string[]): void => {
  const existing = new Set(server.objects(resources.namespaces).map(({ metadata }) => metadata.name));
  for (const name of names.filter((each) => !existing.has(each)))
    userOf(server).create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
};

/**
 * Installs the CustomResourceDefinitions of some kinds that are not installed yet; extensions have none. Also creates the
 * missing namespaces that `elsewhere()` names.
 *
 * @throws {SimulationError} when the API server refuses a CRD
 * @throws {InvalidDefinitionError} when a definition cannot be compiled
 */
export const installKinds = (server: ApiServer, kinds: readonly AnyKindDefinition[]): void => {
  const installed = server.objects(resources.definitions);
  const names = new Set(installed.map(({ metadata }) => metadata.name));
  for (const crd of definedKinds(kinds).map(crdOf)) {
    const { name } = crd.metadata;
    // If two kinds have the same name, only the first is installed. The loop refuses such kinds with a specific error.
    if (names.has(name)) continue;
    names.add(name);
    install(server, crd);
  }
  makeNamespaces(server, namespacesElsewhere(kinds));
};
