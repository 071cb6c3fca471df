import { access } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { configuredKinds } from '#lib/desired/configured-kinds.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { operatorSettingsOf } from '#lib/desired/operator-settings.ts';
import { ConfigurationError } from '#lib/errors.ts';
import type { CliContext } from './context.ts';
import type { ConfigOptions } from './options.ts';
import { complaintOf, placeOf } from './project-file.ts';

/** What `reconcile.config.ts` exports as its default. */
export interface ReconcileConfig {
  /** The kinds of the project: those that its operator runs. */
  readonly kinds: readonly AnyKindDefinition[];
}

/** A configuration, and where it was found. */
export interface LoadedConfig extends ReconcileConfig {
  /** The file. */
  readonly path: string;
}

/** Looked for in this order in each folder, from that of the command upwards. */
const CONFIG_FILES: readonly string[] = ['reconcile.config.ts', 'reconcile.config.js', 'reconcile.config.mjs'];

const EXAMPLE = "export default { kinds: [myKind] }; with import { myKind } from './kinds/my-kind.ts'";

const isThere = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** The configuration file in a folder or above it; undefined when there is none. */
export const tryFindConfig = async ({ cwd }: Pick<CliContext, 'cwd'>): Promise<string | undefined> => {
  for (let folder = cwd; ; folder = dirname(folder)) {
    for (const file of CONFIG_FILES) if (await isThere(join(folder, file))) return join(folder, file);
    if (dirname(folder) === folder) return undefined;
  }
};

/**
 * The configuration file that holds for a folder.
 *
 * @param context - the process; its folder is where the search begins
 * @param named - a file, as `--config` names it
 * @throws {ConfigurationError} when there is none
 */
export const findConfig = async (context: Pick<CliContext, 'cwd'>, named?: string): Promise<string> => {
  if (named !== undefined) {
    const path = resolve(context.cwd, named);
    if (await isThere(path)) return path;
    throw new ConfigurationError(`Cannot read the kinds: there is no ${path}; name another file by --config`);
  }
  const found = await tryFindConfig(context);
  if (found !== undefined) return found;
  throw new ConfigurationError(
    `Cannot find the kinds: there is no ${CONFIG_FILES[0]} in ${context.cwd} or above it; write one (${EXAMPLE}), or name one: --config <file>`,
  );
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const wordFor = (value: unknown): string =>
  value === undefined ? 'missing' : Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;

const checkedKind = (value: unknown, at: string): AnyKindDefinition => {
  if (!isObject(value))
    throw new ConfigurationError(`${at} is ${wordFor(value)}; it must be what defineKind() returns`);
  for (const member of ['group', 'version', 'kind'])
    if (typeof value[member] !== 'string')
      throw new ConfigurationError(
        `${at}.${member} is ${wordFor(value[member])}; each kind must be what defineKind() returns`,
      );
  if (typeof value['desired'] !== 'function')
    throw new ConfigurationError(
      `${at}.desired is ${wordFor(value['desired'])}; each kind must be what defineKind() returns`,
    );
  return value as unknown as AnyKindDefinition;
};

const refuseTwins = (path: string, kinds: readonly AnyKindDefinition[]): void => {
  const seen = new Set<string>();
  for (const { group, kind } of kinds) {
    const name = `${kind}.${group}`;
    if (seen.has(name)) throw new ConfigurationError(`Cannot use ${path}: kinds holds ${name} twice; leave one`);
    seen.add(name);
  }
};

/** What a module exports, once it is known to be a configuration. */
export const checkedConfig = (path: string, exported: unknown): LoadedConfig => {
  if (!isObject(exported))
    throw new ConfigurationError(`Cannot use ${path}: its default export is ${wordFor(exported)}; write ${EXAMPLE}`);
  const { kinds } = exported;
  if (!Array.isArray(kinds))
    throw new ConfigurationError(`Cannot use ${path}: kinds is ${wordFor(kinds)}, not a list; write ${EXAMPLE}`);
  if (kinds.length === 0)
    throw new ConfigurationError(`Cannot use ${path}: kinds is empty; name at least one kind: ${EXAMPLE}`);
  const checked = kinds.map((kind: unknown, at) => checkedKind(kind, `Cannot use ${path}: kinds[${at}]`));
  refuseTwins(path, checked);
  return { ...exported, path, kinds: checked };
};

const cannotLoad = (path: string, error: unknown): ConfigurationError => {
  const place = placeOf(error);
  const where = place === undefined ? '' : ` (${place.path}:${place.line})`;
  return new ConfigurationError(`Cannot load ${path}: ${complaintOf(error)}${where}; correct it`, { cause: error });
};

/**
 * Loads the kinds that commands are about, from the file `reconcile.config.ts` in the folder or above it, as an operator with
 * the settings of this environment (`PROMETHEUS_URL`) would run them.
 *
 * Caveats: runs the file, and all that it imports. Node runs TypeScript whose types can be erased: 22.18 or later.
 *
 * @param context - the process
 * @param options - `config`: a file, as `--config` names it
 * @throws {ConfigurationError} when there is no such file, when it cannot be loaded, and when it does not export kinds
 */
export const loadKinds = async (
  context: Pick<CliContext, 'cwd'> & Partial<Pick<CliContext, 'env'>>,
  { config }: ConfigOptions = {},
): Promise<LoadedConfig> => {
  const path = await findConfig(context, config);
  let module: Readonly<Record<string, unknown>>;
  try {
    module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw cannotLoad(path, error);
  }
  const loaded = checkedConfig(path, module['default']);
  return { ...loaded, kinds: configuredKinds(loaded.kinds, operatorSettingsOf(context.env ?? {})) };
};
