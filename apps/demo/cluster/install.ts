import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { ApiError } from '#lib/errors.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { Access } from './access.ts';
import { DEMO_NAMESPACE } from './cluster.ts';
import { type Created, create, type Manifest } from './objects.ts';

/** Kinds that only matter for an operator in a pod. With the current cluster it runs on this machine instead. */
const FOR_PODS: ReadonlySet<string> = new Set(['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service']);

/** What was created for the demo; removed in the opposite order. */
export interface Installed extends AsyncDisposable {
  readonly created: readonly Created[];
}

/** The documents of a YAML file. */
export const documentsOf = async (path: string): Promise<readonly Manifest[]> =>
  parseAllDocuments(await readFile(path, 'utf8')).map((document) => document.toJS() as Manifest);

interface Definition {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const established = async ({ send }: Access, name: string): Promise<void> =>
  waitFor(`CustomResourceDefinition ${name} to be established`, async () => {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    const { status } = await send<Definition>({ method: 'GET', path });
    return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') === true;
  });

const isGone = (error: unknown): boolean => error instanceof ApiError && error.httpStatus === 404;

interface CustomKind {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
}

interface Listed {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly namespace?: string } }[];
}

/** Objects of a kind outside the demo's namespace, which users have created meanwhile. */
const othersOf = async (
  { send }: Access,
  { spec: { group, names, versions } }: CustomKind,
): Promise<readonly string[]> => {
  const version = versions.find(({ storage }) => storage)?.name ?? '';
  const { items } = await send<Listed>({ method: 'GET', path: `/apis/${group}/${version}/${names.plural}` });
  return items.flatMap(({ metadata: { name, namespace = '' } }) =>
    namespace === DEMO_NAMESPACE ? [] : [`${namespace}/${name}`],
  );
};

/** A definition is not removed with what others have made of it: all of that would go, too. */
const careful = (access: Access, created: Created, definition: Manifest & CustomKind): Created => ({
  ...created,
  remove: async () => {
    const others = await othersOf(access, definition);
    const [first] = others;
    if (first !== undefined) {
      throw new Error(`${others.length} of others would go with it, such as ${first}: it stays until you remove it`);
    }
    await created.remove();
  },
});

const isDefinition = (document: Manifest): document is Manifest & CustomKind =>
  document.kind === 'CustomResourceDefinition';

/**
 * Removes everything, the last first; what is gone already is fine.
 *
 * @throws {Error} in the end, with commands for what could not be removed
 */
export const removeAll = async (created: readonly Created[]): Promise<void> => {
  const left: string[] = [];
  for (const { command, remove } of created.toReversed()) {
    try {
      await remove();
    } catch (error) {
      if (!isGone(error)) left.push(`  ${command}   # ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (left.length > 0)
    throw new Error(`Some of what was created is still in the cluster; remove it:\n${left.join('\n')}`);
};

/**
 * Creates what a bundle holds and waits until the new APIs are served. What is there already is not touched.
 *
 * @param options.isOurs - false for a cluster where nothing of it may stay, nor may the operator run as a pod
 * @throws {ConfigurationError} when something of it is there already; what was created before that is removed
 */
export const install = async (
  access: Access,
  bundle: string,
  { isOurs }: { readonly isOurs: boolean },
): Promise<Installed> => {
  const documents = (await documentsOf(bundle)).filter(({ kind }) => isOurs || !FOR_PODS.has(kind));
  const created: Created[] = [];
  const dispose = async (): Promise<void> => (isOurs ? undefined : removeAll(created));
  try {
    for (const document of documents) {
      const made = await create(access, document);
      created.push(isDefinition(document) ? careful(access, made, document) : made);
    }
    for (const { metadata } of documents.filter(isDefinition)) await established(access, metadata.name);
    return { created, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose().catch((later: unknown) => {
      throw new SuppressedError(later, error);
    });
    throw error;
  }
};
