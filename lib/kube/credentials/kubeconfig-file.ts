import { readFile } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import { ConfigurationError } from '#lib/errors.ts';
import { asText, isRecord } from '#lib/kube/interface/json.ts';

/**
 * The entries of a kubeconfig that a context names. The entries are unchanged, except that relative paths are made absolute, and
 * paths of files that inline data replaces are removed.
 */
export interface KubeconfigContext {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly clusterName: string;
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly userName: string;
  /** The entry of the user; empty when the context has no user. */
  readonly user: Readonly<Record<string, unknown>>;
}

type Entries = Map<string, Record<string, unknown>>;

interface Kubeconfig {
  currentContext: string | undefined;
  readonly clusters: Entries;
  readonly users: Entries;
  readonly contexts: Entries;
}

/**
 * The members that contain a path relative to the folder of their file (ResolveLocalPaths in client-go's clientcmd/loader.go).
 */
const PATH_MEMBERS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

const withAbsolutePaths = (entry: Record<string, unknown>, dir: string): Record<string, unknown> => {
  const result = { ...entry };
  for (const member of PATH_MEMBERS) {
    const path = asText(result[member]);
    // Inline data has precedence over a file, as in client-go's clientcmd/api/types.go. In client-node, the file has precedence.
    if (asText(result[`${member}-data`])) delete result[member];
    else if (path !== undefined) result[member] = resolve(dir, path);
  }
  const { exec } = result;
  if (isRecord(exec) && typeof exec['command'] === 'string' && exec['command'].includes(sep)) {
    result['exec'] = { ...exec, command: resolve(dir, exec['command']) };
  }
  return result;
};

const addEntries = (target: Entries, list: unknown, member: string, dir: string): void => {
  for (const item of Array.isArray(list) ? list.filter(isRecord) : []) {
    const { name, [member]: entry } = item;
    if (typeof name !== 'string' || target.has(name)) continue;
    target.set(name, isRecord(entry) ? withAbsolutePaths(entry, dir) : {});
  }
};

/**
 * Describes a file that is not YAML by the error code and the line. The message of the parser is left out, because it quotes
 * the file, and the quoted text may be a token.
 */
const syntaxProblem = (error: unknown): string => {
  if (!(error instanceof YAMLParseError)) return 'it is no valid YAML';
  const line = error.linePos === undefined ? '' : ` in line ${error.linePos[0].line}`;
  return `it is no valid YAML${line} (${error.code.toLowerCase().replaceAll('_', ' ')})`;
};

const ANOTHER = 'set KUBECONFIG to the path of a kubeconfig';

const readDocument = async (path: string): Promise<unknown> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isRecord(error) && error['code'] === 'ENOENT') return undefined;
    const problem = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(`Cannot read kubeconfig ${path}: ${problem}; check its path and permissions`, {
      cause: error,
    });
  }
  try {
    // Without this option, the parser writes its warnings to standard error, with a quotation from the file.
    return parse(text, { logLevel: 'error' }) as unknown;
  } catch (error) {
    throw new ConfigurationError(
      `Cannot parse kubeconfig ${path}: ${syntaxProblem(error)}; correct the file, or ${ANOTHER}`,
    );
  }
};

const merge = async (paths: readonly string[]): Promise<Kubeconfig> => {
  const merged: Kubeconfig = { currentContext: undefined, clusters: new Map(), users: new Map(), contexts: new Map() };
  let found = false;
  for (const path of paths) {
    const document = await readDocument(path);
    if (document === undefined) continue;
    found = true;
    if (!isRecord(document))
      throw new ConfigurationError(
        `Cannot use kubeconfig ${path}: it holds no mapping (apiVersion: v1, kind: Config, …); ${ANOTHER}`,
      );
    const dir = dirname(resolve(path));
    const current = document['current-context'];
    if (typeof current === 'string' && current !== '') merged.currentContext ??= current;
    addEntries(merged.clusters, document['clusters'], 'cluster', dir);
    addEntries(merged.users, document['users'], 'user', dir);
    addEntries(merged.contexts, document['contexts'], 'context', dir);
  }
  if (found) return merged;
  const looked = paths.length === 0 ? 'KUBECONFIG names no file' : `${paths.join(' and ')} does not exist`;
  throw new ConfigurationError(`Cannot read kubeconfig: ${looked}; ${ANOTHER}`);
};

const known = (entries: Entries): string => (entries.size === 0 ? 'none' : [...entries.keys()].toSorted().join(', '));

const entryOf = (entries: Entries, name: unknown, what: string, where: string): [string, Record<string, unknown>] => {
  const entry = typeof name === 'string' ? entries.get(name) : undefined;
  if (typeof name === 'string' && entry !== undefined) return [name, entry];
  throw new ConfigurationError(
    `Cannot use kubeconfig ${where}: unknown ${what} ${JSON.stringify(name ?? '')} (known: ${known(entries)}); ` +
      'choose a context with `kubectl config use-context <name>` or add the entry',
  );
};

/**
 * Reads kubeconfig files and selects a context.
 *
 * Several files are merged as kubectl merges them. The first file that has an entry takes precedence, missing files are ignored,
 * and relative paths are relative to their file.
 *
 * @param chosen - the name of a context; without it the current one
 * @throws ConfigurationError when no file exists, one cannot be read or parsed, or the context is unset, unknown or broken
 */
export const readKubeconfig = async (paths: readonly string[], chosen?: string): Promise<KubeconfigContext> => {
  const merged = await merge(paths);
  const where = paths.join(':');
  const wanted = chosen ?? merged.currentContext;
  if (wanted === undefined && merged.contexts.size === 0)
    throw new ConfigurationError(`Cannot use kubeconfig ${where}: it has no contexts; ${ANOTHER}`);
  if (wanted === undefined) {
    throw new ConfigurationError(
      `Cannot use kubeconfig ${where}: no current context is set (known: ${known(merged.contexts)}); ` +
        'choose one with `kubectl config use-context <name>`',
    );
  }
  const [name, context] = entryOf(merged.contexts, wanted, 'context', where);
  const [clusterName, cluster] = entryOf(merged.clusters, context['cluster'], 'cluster', where);
  const [userName, user] = context['user'] ? entryOf(merged.users, context['user'], 'user', where) : ['(none)', {}];
  const namespace = typeof context['namespace'] === 'string' ? context['namespace'] : undefined;
  return { name, namespace, clusterName, cluster, userName, user };
};

/**
 * The names of the contexts in kubeconfig files, in their order.
 *
 * @throws ConfigurationError when no file exists, or one cannot be read or parsed
 */
export const contextNames = async (paths: readonly string[]): Promise<readonly string[]> => [
  ...(await merge(paths)).contexts.keys(),
];
