import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import { withHealthCheck } from '../../scaffold/flux-health.ts';
import { sampleByHand, withKind, withSample } from '../../scaffold/kind-list.ts';
import { checkedGroup, kindNamesOf } from '../../scaffold/names.ts';
import { exists, type KindChoice, readKind, writeAll, writeNew } from '../../scaffold/template.ts';
import { parsedFile } from '../../shell/read-text.ts';
import type { Made } from '../init/run.ts';

/** Options for {@link addKind}. */
export interface AddKindOptions {
  /** The folder of the project. */
  readonly folder: string;
  readonly kind: string;
  /** The API group of the kind. @default the group in `package.json` of the project */
  readonly group?: string | undefined;
  readonly scope?: KindChoice['scope'];
}

const LIST = 'kinds/index.ts';
const CHARTS = 'main.ts';
const FLUX = 'gitops/flux.yaml';

interface Manifest {
  readonly 'cdk8s-reconcile'?: { readonly group?: unknown };
}

const manifestOf = async (folder: string): Promise<Manifest> => {
  const path = join(folder, 'package.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined || !(await exists(join(folder, LIST))))
    throw new ConfigurationError(
      `Cannot add a kind in ${folder}: there is no ${text === undefined ? 'package.json' : LIST}; go to a project that cdk8s-reconcile init made, or make one: cdk8s-reconcile init my-operator`,
    );
  return parsedFile(text, path) as Manifest;
};

const groupOf = (manifest: Manifest): string => {
  const group = manifest['cdk8s-reconcile']?.group;
  if (typeof group === 'string') return group;
  throw new ConfigurationError(
    'Unknown group of the kind: package.json has no "cdk8s-reconcile": { "group": "…" }; add it, or pass --group apps.example.com',
  );
};

/**
 * Adds a kind to a project: its definition and test, an entry in `kinds/index.ts`, a sample in `main.ts`, and, with Flux, a
 * health check in `gitops/flux.yaml`.
 *
 * Guarantees: no other existing file changes. If `main.ts` lacks the place for a sample, or contains the name of the kind, it
 * stays unchanged, and the function returns the lines of the sample. All checks run before any file is written.
 *
 * @throws {ConfigurationError} outside a project, without an API group, for an existing kind, for invalid names, and if a file
 *   or the list of kinds cannot be changed
 */
export const addKind = async (options: AddKindOptions): Promise<Made> => {
  const folder = resolve(options.folder);
  const names = kindNamesOf(options.kind);
  const manifest = await manifestOf(folder);
  const group = checkedGroup(options.group ?? groupOf(manifest));
  const files = await readKind(names, { group, scope: options.scope });
  const listed = withKind(await readFile(join(folder, LIST), 'utf8'), names);
  const sampled = withSample(await readFile(join(folder, CHARTS), 'utf8').catch(() => ''), names);
  const flux = withHealthCheck(await readFile(join(folder, FLUX), 'utf8').catch(() => ''), { group, kind: names.kind });
  const changed = [
    { path: LIST, text: listed },
    ...(sampled === undefined ? [] : [{ path: CHARTS, text: sampled }]),
    ...(flux === undefined ? [] : [{ path: FLUX, text: flux }]),
  ];
  await writeNew(folder, files);
  await writeAll(folder, changed);
  return {
    folder,
    files: [...files, ...changed].map(({ path }) => path).toSorted(),
    ...(sampled === undefined && { byHand: sampleByHand(names) }),
  };
};
