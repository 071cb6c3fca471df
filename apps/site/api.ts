import { glob, readFile, writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';

/** A door of the package: the name that people import, and its source. */
export interface Door {
  readonly name: string;
  readonly source: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
}

/** The doors of `package.json`, in their order; what is no module is no door. */
export const doorsOf = ({ name, exports }: Manifest): readonly Door[] =>
  Object.entries(exports)
    .filter(([, source]) => source.endsWith('.ts'))
    .map(([path, source]) => ({ name: path.replace('.', name), source }));

/** What {@link writeApi} needs to know. */
export interface ApiOptions {
  readonly repository: string;
  /** The folder for the pages. */
  readonly folder: string;
  /** The file for the table of contents: a tree of `title`, `path`, `children`. */
  readonly navigation: string;
  /** Where people see the sources. */
  readonly sources: string | undefined;
}

/** TypeDoc reads sources with the API of TypeScript 5, which TypeScript 7 no longer has; both are installed. */
const useTypeScript5 = (): void => {
  registerHooks({
    resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
  });
};

const settingsOf = ({ repository, navigation, sources }: ApiOptions, doors: readonly Door[]) => ({
  entryPoints: doors.map(({ source }) => join(repository, source)),
  plugin: ['typedoc-plugin-markdown'],
  tsconfig: join(repository, 'tsconfig.json'),
  // `npm run check:types` is stricter, and has its own compiler.
  skipErrorChecking: true,
  ...(sources === undefined
    ? { disableSources: true }
    : { disableGit: true, gitRevision: 'main', sourceLinkTemplate: `${sources}/{path}#L{line}`, basePath: repository }),
  readme: 'none',
  sortEntryPoints: false,
  excludeInternal: true,
  excludeExternals: true,
  logLevel: 'Error',
  entryFileName: 'index',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'list',
  sanitizeComments: true,
  useCodeBlocks: true,
  navigationJson: navigation,
});

/** Tables of type parameters come with anchors that nothing leads to, in HTML, which the pages do not have. */
const withoutAnchors = async (folder: string): Promise<void> => {
  for await (const path of glob(join(folder, '**/*.md'))) {
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replaceAll(/<a id="[^"]*"><\/a> ?/g, ''));
  }
};

/**
 * Writes the reference of every entry point as Markdown: one page per export.
 *
 * Caveats: once per process, because it changes the module resolution of TypeScript for everything that is loaded afterwards.
 *
 * @throws {Error} when TypeDoc cannot read the sources
 */
export const writeApi = async (options: ApiOptions): Promise<void> => {
  const manifest = JSON.parse(await readFile(join(options.repository, 'package.json'), 'utf8')) as Manifest;
  const doors = doorsOf(manifest);
  useTypeScript5();
  const { Application } = await import('typedoc');
  const application = await Application.bootstrapWithPlugins(settingsOf(options, doors) as object);
  const project = await application.convert();
  if (project === undefined) throw new Error('TypeDoc cannot read the sources; its messages are above.');
  project.name = 'API';
  for (const { name, source } of doors) {
    // TypeDoc names a module after its file; imports use the name of the entry point.
    const module = project.getChildByName([source.replace(/^\.\/|(?:\/index)?\.ts$/g, '')]);
    if (module === undefined) throw new Error(`TypeDoc has no module for "${name}" (${source})`);
    module.name = name;
  }
  await application.outputs.writeOutput({ name: 'markdown', path: options.folder }, project);
  await withoutAnchors(options.folder);
};
