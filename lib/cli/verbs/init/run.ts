import { readdir } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { ConfigurationError } from '#lib/errors.ts';
import { checkedGroup, checkedProject, kindNamesOf } from '../../scaffold/names.ts';
import { ownDependency } from '../../scaffold/own-source.ts';
import {
  exists,
  type GitOpsTool,
  type KindChoice,
  ownPackage,
  readKind,
  readTemplate,
  writeNew,
} from '../../scaffold/template.ts';
import { cannotRead } from '../../shell/read-text.ts';

/** Options for {@link initProject}. */
export interface InitOptions extends KindChoice {
  /** The target folder, which must be empty or missing. */
  readonly folder: string;
  /** The name of the project. @default the name of the folder */
  readonly name?: string | undefined;
  /** The first kind. */
  readonly kind: string;
  /** The GitOps tool that configuration is written for. @default none */
  readonly gitops?: GitOpsTool | undefined;
}

/** The files that `init` or `add kind` wrote. */
export interface Made {
  readonly folder: string;
  /** Paths relative to the folder. */
  readonly files: readonly string[];
  /** The tarball of this package that the project depends on, if the tarball does not exist yet. */
  readonly missing?: string;
  /** Lines that the user has to add to `main.ts`; absent if there are none. */
  readonly byHand?: string;
}

const missingTarball = async (folder: string, dependency: string): Promise<string | undefined> => {
  if (!dependency.startsWith('file:')) return undefined;
  const path = resolve(folder, dependency.slice('file:'.length));
  return (await exists(path)) ? undefined : path;
};

/** The content of a folder, without `.git`, so that a folder with a new repository counts as empty. */
const contentOf = async (folder: string): Promise<readonly string[]> => {
  try {
    return (await readdir(folder)).filter((name) => name !== '.git');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR')
      throw new ConfigurationError(`Cannot make a project in ${folder}: it is a file; name a folder`, { cause: error });
    throw cannotRead(folder, error);
  }
};

const ARGO_CD = '\n  // The operator before the resources, and health scripts.\n  argoCd: true,';

/**
 * The option `released`, commented out. The option cannot be active yet, because synth refuses a commit that does not contain a
 * release.
 */
const RELEASED = `
  // After the first release take this in: synth then refuses what breaks users, and versions in an order that stops Flux.
  // released: { from: 'git:main:synth-out' },`;

/**
 * Creates a project: a kind with its test, a chart, the entry point of the operator, a Dockerfile, and configuration.
 *
 * Guarantees: no existing file is changed. All checks run before any file is written.
 *
 * @throws {ConfigurationError} when the folder is not empty or cannot be used, or a name or the group is invalid
 */
export const initProject = async (options: InitOptions): Promise<Made> => {
  const folder = resolve(options.folder);
  const names = kindNamesOf(options.kind);
  const group = checkedGroup(options.group);
  const project = checkedProject(options.name ?? basename(folder));
  const found = await contentOf(folder);
  if (found.length > 0)
    throw new ConfigurationError(
      `Cannot make a project in ${folder}: it is not empty (${found.toSorted().slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}); name a new folder: cdk8s-reconcile init my-operator`,
    );
  const dependency = await ownDependency(folder, await ownPackage());
  const words = {
    Kind: names.kind,
    kind: names.constant,
    kindlower: names.kind.toLowerCase(),
    file: names.file,
    group,
    project,
    dependency,
    operatorProps: `${options.gitops === 'argocd' ? ARGO_CD : ''}${options.gitops ? RELEASED : ''}`,
  };
  const files = [
    ...(await readTemplate('project', { words })),
    ...(options.gitops ? await readTemplate(`gitops-${options.gitops}`, { words }) : []),
    ...(await readKind(names, { group, scope: options.scope })),
  ];
  await writeNew(folder, files);
  const missing = await missingTarball(folder, dependency);
  return { folder, files: files.map(({ path }) => path).toSorted(), ...(missing && { missing }) };
};
