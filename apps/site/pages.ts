import { existsSync, globSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The Markdown files that are pages. The files in `templates` are not included, because they belong to the projects of users. */
const SOURCES = ['*.md', 'docs/**/*.md', '{lib,constructs,apps,test}/**/README.md'];

/** All Markdown pages of a repository, as paths relative to its root. */
export const pagesOf = (repository: string): readonly string[] =>
  globSync(SOURCES, { cwd: repository })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();

/**
 * The path of a page or picture on the site. `docs/` is the root of the site, and a README is the index of its folder. Names of
 * other pages in capitals, such as `CHANGELOG.md`, become lower case.
 */
export const sitePathOf = (source: string): string => {
  if (source.endsWith('README.md')) return sitePathOf(source.replace(/README\.md$/, 'index.md'));
  if (source.startsWith('docs/')) return source.slice('docs/'.length);
  return /^[A-Z_]+\.md$/.test(source) ? source.toLowerCase().replaceAll('_', '-') : source;
};

/** The absolute address of a page on the site, without the base and the file extension. */
export const addressOf = (source: string): string => `/${sitePathOf(source).replace(/(?:(?<=^|\/)index)?\.md$/, '')}`;

/** The page for a path of the repository: the file itself, or the README of a folder; `undefined` if there is no such page. */
export const pageAt = (repository: string, path: string): string | undefined => {
  const readme = posix.join(path, 'README.md');
  const candidates = path.endsWith('.md') ? [path] : [readme];
  return candidates.find((candidate) => pageIs(candidate) && existsSync(join(repository, candidate)));
};

const pageIs = (path: string): boolean => SOURCES.some((pattern) => posix.matchesGlob(path, pattern));
