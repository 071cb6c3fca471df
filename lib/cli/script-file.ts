import { dirname, resolve } from 'node:path';
import { ConfigurationError, InvalidScriptError, type Issue } from '#lib/errors.ts';
import type { Script } from '#lib/foresight/simulate/script.ts';
import type { JsonObject } from '#lib/json.ts';
import type { CliContext } from './context.ts';
import { readManifests } from './manifests.ts';
import { issueText, readYamlFile, type YamlFile } from './yaml-file.ts';

/** A script of a simulation, and what it names. It has not been checked. */
export interface ScriptFile {
  readonly value: Script;
  /** Absent when there is none. */
  readonly file?: YamlFile;
  /** The manifests that it applies, by the names that it gives their files. */
  readonly files: Readonly<Record<string, readonly JsonObject[]>>;
}

const namesIn = ({ changes }: { readonly changes?: unknown }): readonly string[] =>
  (Array.isArray(changes) ? changes : []).flatMap((change: { readonly apply?: unknown } | null) =>
    typeof change?.apply === 'string' ? [change.apply] : [],
  );

/**
 * Reads a script, and the manifests that it names, relative to it.
 *
 * @param path - absent: a script that does nothing
 * @throws {ConfigurationError} when a file cannot be read: `file:line:column: what`
 */
export const readScriptFile = async (path: string | undefined, context: CliContext): Promise<ScriptFile> => {
  if (path === undefined) return { value: {}, files: {} };
  const file = await readYamlFile(path, context.cwd);
  const folder = dirname(resolve(context.cwd, path));
  // Whoever checks scripts tells what is no object.
  const value = (file.value ?? {}) as Script;
  const files = [...new Set(namesIn(value))].map(async (name) => {
    const manifests = await readManifests([name], { ...context, cwd: folder });
    return [name, manifests.map(({ object }) => object)] as const;
  });
  return { value, file, files: Object.fromEntries(await Promise.all(files)) };
};

/** Where mistakes are looked up. */
export interface Places {
  readonly file?: YamlFile | undefined;
  /** Where each manifest stands, as `file:line`. */
  readonly wheres: readonly string[];
}

const lineOf = (issue: Issue, { file, wheres }: Places): string => {
  const place = /^manifests\[(\d+)\]/.exec(issue.path)?.[1];
  const fix = issue.fix === undefined ? '' : `; ${issue.fix}`;
  if (place !== undefined) return `${wheres[Number(place)] ?? ''}: ${issue.message}${fix}`;
  return file === undefined ? `${issue.message}${fix}` : issueText(file, issue);
};

/** An error as it is, or, for a mistake in a script or a manifest, one that says where in which file it is. */
export const told = (error: unknown, places: Places): unknown =>
  error instanceof InvalidScriptError
    ? new ConfigurationError(error.issues.map((issue) => lineOf(issue, places)).join('\n'), { cause: error })
    : error;
