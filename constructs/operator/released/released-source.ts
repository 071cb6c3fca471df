import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Yaml } from 'cdk8s';
import { isPlainObject } from '#lib/json.ts';
import type { CustomResourceDefinition } from '#lib/kind/crd.ts';

/** A CRD of a release, with the labels of the operator that it belongs to. */
export type ReleasedCrd = CustomResourceDefinition & { metadata: { labels?: Record<string, string> } };

/** The error for a source that is malformed, does not exist, or is in git and has no manifests. */
export class SourceError extends Error {
  readonly fix: string;
  constructor(message: string, options: { readonly fix: string; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.fix = options.fix;
  }
}

const isManifest = (name: string): boolean => /\.(ya?ml|json)$/.test(name);

const isCrd = (object: unknown): object is ReleasedCrd =>
  isPlainObject(object) &&
  object['kind'] === 'CustomResourceDefinition' &&
  object['apiVersion'] === 'apiextensions.k8s.io/v1';

const crdsIn = (file: string): ReleasedCrd[] => (Yaml.load(file) as unknown[]).filter(isCrd);

const filesOf = (from: string): string[] => {
  try {
    if (!statSync(from).isDirectory()) return [from];
  } catch (cause) {
    const fix = 'name a file or a folder that is there, or leave released out for the first release';
    throw new SourceError(`there is no file or folder ${JSON.stringify(from)}`, { fix, cause });
  }
  const names = readdirSync(from).filter(isManifest).toSorted();
  return names.map((name) => `${from}/${name}`);
};

const MAX_OUTPUT = 64 * 1024 * 1024;

/** Runs git without a shell, so that no part of a prop can be executed as a command. */
const git = (args: readonly string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: MAX_OUTPUT, stdio: ['ignore', 'pipe', 'pipe'] });

const commitOf = (ref: string): string => {
  try {
    return git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]).trim();
  } catch (cause) {
    const fix = 'fetch it (a shallow clone has no other branches), or name a file or folder that holds the release';
    throw new SourceError(`git knows no commit ${JSON.stringify(ref)} here`, { fix, cause });
  }
};

/**
 * Lists the manifests in a folder of a commit, or the path itself if the path is a manifest. Paths are relative to the working
 * directory.
 */
const namesAt = (commit: string, path: string): string[] => {
  const list = (what: string): string[] =>
    git(['ls-tree', '-z', '--name-only', commit, '--', what]).split('\0').filter(Boolean);
  const inFolder = list(`${path}/`).filter(isManifest);
  return inFolder.length > 0 ? inFolder : list(path).filter(isManifest);
};

const readGit = (ref: string, path: string): ReleasedCrd[] => {
  const commit = commitOf(ref);
  const names = namesAt(commit, path.replace(/\/+$/, ''));
  if (names.length === 0) {
    const fix = 'name a file or folder of manifests in it, or leave released out for the first release';
    throw new SourceError(`there are no manifests ${JSON.stringify(path)} in ${ref}`, { fix });
  }
  const folder = mkdtempSync(`${tmpdir()}/released-`);
  try {
    return names.flatMap((name, at) => {
      const file = `${folder}/${at}.yaml`;
      writeFileSync(file, git(['show', `${commit}:./${name}`]));
      return crdsIn(file);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/**
 * Reads the CRDs of a release.
 *
 * @param from - a file, a folder, or `git:<ref>:<path>` for a file or folder in a commit; objects that are not CRDs are ignored
 * @throws {SourceError} for a malformed source, a source that does not exist, or a git path without manifests
 * @throws {Error} for invalid YAML, from cdk8s
 */
export const readReleased = (from: string): ReleasedCrd[] => {
  if (!from.startsWith('git:')) return filesOf(from).flatMap(crdsIn);
  const { ref, path } = /^git:(?<ref>[^:]+):(?<path>.+)$/.exec(from)?.groups ?? {};
  if (ref !== undefined && path !== undefined) return readGit(ref, path);
  throw new SourceError(`${JSON.stringify(from)} names no commit and path`, {
    fix: 'write git:<ref>:<path>, such as git:main:synth-out',
  });
};
