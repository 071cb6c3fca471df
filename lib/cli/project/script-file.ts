import { dirname, resolve } from 'node:path';
import { ConfigurationError, InvalidScriptError, type Issue, SimulationError } from '#lib/errors.ts';
import type { Script } from '#lib/foresight/simulate/script/script.ts';
import type { JsonObject } from '#lib/json.ts';
import type { CliContext } from '../shell/context.ts';
import { readManifests } from './manifests.ts';
import { placeInWords } from './project-file.ts';
import { issueText, readYamlFile, type YamlFile } from './yaml-file.ts';

/** A script of a simulation, and the files that it names. The script is not validated yet. */
export interface ScriptFile {
  readonly value: Script;
  /** The file of the script; absent if the options name no script. */
  readonly file?: YamlFile;
  /** The manifests that the script applies, by the file name in the script. */
  readonly files: Readonly<Record<string, readonly JsonObject[]>>;
}

/** The names of files that a script applies, each with the path of its first use in the script. */
const namesIn = ({ changes }: { readonly changes?: unknown }): ReadonlyMap<string, string> => {
  const entries = (Array.isArray(changes) ? changes : []).flatMap(
    (change: { readonly apply?: unknown } | null, index) =>
      typeof change?.apply === 'string' ? [[change.apply, `changes[${index}].apply`] as const] : [],
  );
  return new Map(entries.toReversed());
};

/**
 * Reads a script and its manifests. The paths of the manifests are relative to the script.
 *
 * @param path - the path of the script; without it, the script is empty
 * @throws {ConfigurationError} when a file cannot be read, the script is not one YAML document, or a manifest is not YAML or has no
 * apiVersion, kind or metadata
 */
export const readScriptFile = async (path: string | undefined, context: CliContext): Promise<ScriptFile> => {
  if (path === undefined) return { value: {}, files: {} };
  const file = await readYamlFile(path, context.cwd);
  const folder = dirname(resolve(context.cwd, path));
  // If the value is not an object, the later check of the script reports the problem.
  const value = (file.value ?? {}) as Script;
  const files = [...namesIn(value)].map(async ([name, place]) => {
    const manifests = await readManifests([name], { ...context, cwd: folder }).catch((cause: unknown) => {
      if (!(cause instanceof ConfigurationError)) throw cause;
      const message = `names a file that cannot be used: ${cause.message}`;
      throw new ConfigurationError(issueText(file, { path: place, message }), { cause });
    });
    return [name, manifests.map(({ object }) => object)] as const;
  });
  return { value, file, files: Object.fromEntries(await Promise.all(files)) };
};

/** The script and the manifests, for the positions in error messages. */
export interface Places {
  readonly file?: YamlFile | undefined;
  /** Position of each manifest, as `file:line`. */
  readonly wheres: readonly string[];
  /** Base folder of relative paths. */
  readonly cwd: string;
}

const lineOf = (issue: Issue, { file, wheres }: Places): string => {
  const place = /^manifests\[(\d+)\]/.exec(issue.path)?.[1];
  const fix = issue.fix === undefined ? '' : `; ${issue.fix}`;
  if (place !== undefined) return `${wheres[Number(place)] ?? ''}: ${issue.message}${fix}`;
  return file === undefined ? `${issue.message}${fix}` : issueText(file, issue);
};

/** Adds the position, if it is known, to an error about a script, a manifest or a function. Returns other errors unchanged. */
export const withPosition = (error: unknown, places: Places): unknown => {
  if (error instanceof InvalidScriptError)
    return new ConfigurationError(error.issues.map((issue) => lineOf(issue, places)).join('\n'), { cause: error });
  if (!(error instanceof SimulationError)) return error;
  return new SimulationError(`${error.message}${placeInWords(error.cause, places.cwd)}`, { cause: error });
};
