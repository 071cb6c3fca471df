import { glob, readFile, writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';

/** An entry point of the package: the name that users import, and its source file. */
export interface PackageEntryPoint {
  readonly name: string;
  readonly source: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
}

/** The entry points in `exports` of `package.json`, in their order. Entries that are not TypeScript modules are left out. */
export const packageEntryPointsOf = ({ name, exports }: Manifest): readonly PackageEntryPoint[] =>
  Object.entries(exports)
    .filter(([, source]) => source.endsWith('.ts'))
    .map(([path, source]) => ({ name: path.replace('.', name), source }));

/** The options of {@link writeApi}. */
export interface ApiOptions {
  readonly repository: string;
  readonly folder: string;
  /** The file for the table of contents: a tree of `title`, `path`, `children`. */
  readonly navigation: string;
  /** The address of the published sources; `undefined` if they are not linked. */
  readonly sources: string | undefined;
}

/** Makes TypeDoc load TypeScript 5, because TypeScript 7 lacks an API that TypeDoc uses. Both versions are installed. */
const useTypeScript5 = (): void => {
  registerHooks({
    resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
  });
};

const settingsOf = ({ repository, navigation, sources }: ApiOptions, entryPoints: readonly PackageEntryPoint[]) => ({
  entryPoints: entryPoints.map(({ source }) => join(repository, source)),
  plugin: ['typedoc-plugin-markdown'],
  tsconfig: join(repository, 'tsconfig.json'),
  // `npm run check:types` already checks the types, with the current compiler.
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

/**
 * Removes the anchors in tables of type parameters. The anchors are HTML, which the pages do not allow, and no link uses them.
 */
const withoutAnchors = async (folder: string): Promise<void> => {
  for await (const path of glob(join(folder, '**/*.md'))) {
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replaceAll(/<a id="[^"]*"><\/a> ?/g, ''));
  }
};

/**
 * Writes the reference of every entry point as Markdown, with one page for each export.
 *
 * Caveats: call this function only once in a process. All modules that are loaded later get TypeScript 5 when they import
 * TypeScript.
 *
 * @throws {Error} when TypeDoc cannot read the sources, or has no module for an entry point
 */
export const writeApi = async (options: ApiOptions): Promise<void> => {
  const manifest = JSON.parse(await readFile(join(options.repository, 'package.json'), 'utf8')) as Manifest;
  const entryPoints = packageEntryPointsOf(manifest);
  useTypeScript5();
  const { Application } = await import('typedoc');
  const application = await Application.bootstrapWithPlugins(settingsOf(options, entryPoints) as object);
  const project = await application.convert();
  if (project === undefined) throw new Error('TypeDoc cannot read the sources; its messages are above.');
  project.name = 'API';
  for (const { name, source } of entryPoints) {
    // TypeDoc names a module after its file, but users import the name of the entry point.
    const module = project.getChildByName([source.replace(/^\.\/|(?:\/index)?\.ts$/g, '')]);
    if (module === undefined) throw new Error(`TypeDoc has no module for "${name}" (${source})`);
    module.name = name;
  }
  await application.outputs.writeOutput({ name: 'markdown', path: options.folder }, project);
  await withoutAnchors(options.folder);
};
