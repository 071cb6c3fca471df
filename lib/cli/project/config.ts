import { stat } from 'node:fs/promises';
import { setSourceMapsSupport } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { handleListIssues } from '#lib/desired/check/definition-check.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { configuredKinds } from '#lib/desired/settings/configured-kinds.ts';
import { operatorSettingsOf } from '#lib/desired/settings/operator-settings.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { exists } from '../scaffold/template.ts';
import type { CliContext } from '../shell/context.ts';
import type { ConfigOptions } from '../shell/options.ts';
import { complaintOf, sourceLineOf } from './project-file.ts';

/** The default export of `reconcile.config.ts`. */
export interface ReconcileConfig {
  /** The kinds that the operator of the project runs. */
  readonly kinds: readonly AnyKindDefinition[];
}

/** A configuration and its file. */
export interface LoadedConfig extends ReconcileConfig {
  /** The path of the configuration file. */
  readonly path: string;
}

/** The file names, in order of precedence. The working folder is searched first, then its parents. */
const CONFIG_FILES: readonly string[] = ['reconcile.config.ts', 'reconcile.config.js', 'reconcile.config.mjs'];

const EXAMPLE = "import { myKind } from './kinds/my-kind.ts'; export default { kinds: [myKind] };";

/** Finds the configuration file in a folder or in one of its parents; undefined if there is none. */
export const tryFindConfig = async ({ cwd }: Pick<CliContext, 'cwd'>): Promise<string | undefined> => {
  for (let folder = cwd; ; folder = dirname(folder)) {
    for (const file of CONFIG_FILES) if (await exists(join(folder, file))) return join(folder, file);
    if (dirname(folder) === folder) return undefined;
  }
};

/**
 * Finds the configuration file for a folder.
 *
 * @param context - the process; the search starts in its working folder
 * @param named - the value of the option
 * @param option - the option that names the file, for the error. @default '--config'
 * @throws {ConfigurationError} when the file does not exist
 */
export const findConfig = async (
  context: Pick<CliContext, 'cwd'>,
  named?: string,
  option = '--config',
): Promise<string> => {
  if (named !== undefined) {
    const path = resolve(context.cwd, named);
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory() === false) return path;
    const problem = found === undefined ? `there is no ${path}` : `${path} is a folder`;
    throw new ConfigurationError(`Cannot read the kinds: ${problem}; name another file by ${option}`);
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
  if (!isObject(value)) throw new ConfigurationError(`${at} is ${wordFor(value)}; it must be a result of defineKind()`);
  const types = { group: 'string', version: 'string', kind: 'string', desired: 'function' };
  for (const [member, type] of Object.entries(types))
    if (typeof value[member] !== type)
      throw new ConfigurationError(
        `${at}.${member} is ${wordFor(value[member])}; each kind must be a result of defineKind()`,
      );
  const kind = value as unknown as AnyKindDefinition;
  const [issue] = handleListIssues(kind);
  if (issue !== undefined) throw new ConfigurationError(`${at}: ${issue.message}; ${issue.fix ?? ''}`);
  return kind;
};

const refuseTwins = (path: string, kinds: readonly AnyKindDefinition[]): void => {
  const seen = new Set<string>();
  for (const { group, kind } of kinds) {
    const name = `${kind}.${group}`;
    if (seen.has(name)) throw new ConfigurationError(`Cannot use ${path}: kinds holds ${name} twice; leave one`);
    seen.add(name);
  }
};

/**
 * Checks that the default export of a module is a configuration.
 *
 * @throws {ConfigurationError} with the first problem
 */
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
  const place = sourceLineOf(error);
  const where = place === undefined ? '' : ` (${place.path}:${place.line})`;
  return new ConfigurationError(`Cannot load ${path}: ${complaintOf(error)}${where}; correct it`, { cause: error });
};

/**
 * Loads the kinds from the configuration file, and applies the operator settings of the environment, such as `PROMETHEUS_URL`.
 *
 * Caveats: executes the file and its imports. For TypeScript, Node.js removes the types, since version 22.18.
 *
 * @throws {ConfigurationError} when the file is missing, cannot be loaded, or exports no valid configuration
 */
export const loadKinds = async (
  context: Pick<CliContext, 'cwd' | 'leaveToSystem'> & Partial<Pick<CliContext, 'env'>>,
  { config, option }: ConfigOptions & { readonly option?: string } = {},
): Promise<LoadedConfig> => {
  const path = await findConfig(context, config, option);
  // With source maps, the stack of an error in compiled code contains the lines of the TypeScript source.
  setSourceMapsSupport(true, { nodeModules: false });
  let module: Readonly<Record<string, unknown>>;
  try {
    const load = async (): Promise<typeof module> =>
      (await import(/* @vite-ignore */ pathToFileURL(path).href)) as typeof module;
    module = await (context.leaveToSystem?.(load) ?? load());
  } catch (error) {
    throw cannotLoad(path, error);
  }
  const loaded = checkedConfig(path, module['default']);
  return { ...loaded, kinds: configuredKinds(loaded.kinds, operatorSettingsOf(context.env ?? {})) };
};
