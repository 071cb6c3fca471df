import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { Impossible } from '#lib/foresight/simulate/targets/impossible.ts';
import type { UserTargets } from '#lib/foresight/simulate/targets/script-targets.ts';
import { isPlainObject, type JsonObject, memberOf } from '#lib/json.ts';
import { answerInWords } from '#lib/sim/world/step/wording.ts';

/** The object of an applied manifest, and the action as text. */
interface Applied {
  readonly object: string;
  readonly what: string;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const NUMBER = '{n}';

/** Replaces `{n}` in all texts of a value. */
const numbered = (value: unknown, number: string): unknown => {
  if (typeof value === 'string') return value.replaceAll(NUMBER, number);
  if (Array.isArray(value)) return value.map((member: unknown) => numbered(member, number));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, numbered(member, number)]));
};

/** One copy of a manifest. If its name has no `{n}`, the number of the copy is added to the name. */
const copyOf = (manifest: JsonObject, number: string): JsonObject => {
  const metadata = isPlainObject(manifest['metadata']) ? manifest['metadata'] : {};
  const name = text(metadata['name']);
  const named = name.includes(NUMBER) ? name : `${name}-${NUMBER}`;
  return numbered({ ...manifest, metadata: { ...metadata, name: named } }, number) as JsonObject;
};

/**
 * The manifests of an `apply` in a script, which contains the manifests or names a file.
 *
 * @param copies - the number of copies of each manifest; undefined applies the manifests as they are
 */
export const manifestsIn = (
  { files }: UserTargets,
  subject: unknown,
  copies?: number,
): readonly JsonObject[] | Impossible => {
  const said = Array.isArray(subject) ? subject : [subject];
  const manifests = typeof subject === 'string' ? memberOf(files, subject) : said.filter(isPlainObject);
  if (manifests === undefined) return { problem: `there are no manifests "${String(subject)}"` };
  if (copies === undefined) return manifests;
  const numbers = Array.from({ length: copies }, (_, index) => String(index + 1));
  return numbers.flatMap((number) => manifests.map((manifest) => copyOf(manifest, number)));
};

/** Creates a namespace if it is missing, so that scripts need not create namespaces. */
const ensureNamespace = ({ server }: UserTargets, name: string): void => {
  if (server.objects(resources.namespaces).some(({ metadata }) => metadata.name === name)) return;
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  server.handle({ verb: 'create', resource: resources.namespaces, options: { fieldManager: 'kubectl' }, body });
};

const unknownKind = (
  { kinds }: UserTargets,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): Impossible => {
  const problem = `${apiVersion} ${kind} is no kind that is simulated; there are ${kinds.names.join(', ')}`;
  const nearest = kinds.nearest(kind);
  if (nearest === undefined) return { problem };
  return { problem, fix: nearest === kind ? 'look at its apiVersion' : `did you mean "${nearest}"?` };
};

/** Applies a manifest as `kubectl apply --server-side --force-conflicts` does. */
export const applyAsUser = (targets: UserTargets, manifest: JsonObject): Applied | Impossible => {
  const [apiVersion, kind] = [text(manifest['apiVersion']), text(manifest['kind'])];
  const known = targets.kinds.of(apiVersion, kind);
  if (known === undefined) return unknownKind(targets, { apiVersion, kind });
  const metadata = isPlainObject(manifest['metadata']) ? manifest['metadata'] : {};
  const name = text(metadata['name']);
  const namespace = known.scope === 'Cluster' ? undefined : text(metadata['namespace']) || targets.namespace;
  const where = namespace === undefined ? {} : { namespace };
  if (namespace !== undefined) ensureNamespace(targets, namespace);
  const object = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  const response = targets.server.handle({
    verb: 'patch',
    patchType: 'apply',
    resource: { ...known.resource, version: apiVersion.slice(apiVersion.indexOf('/') + 1) },
    ...where,
    name,
    options: { fieldManager: 'kubectl', force: true, fieldValidation: 'Strict' },
    body: { ...manifest, metadata: { ...metadata, ...where } },
  });
  if (response.code < 400) return { object, what: response.code === 201 ? 'created' : 'applied' };
  const why = `${answerInWords(response)}: ${String(response.body['message'])}`;
  return { problem: `the API server refused ${object}: ${why}` };
};
