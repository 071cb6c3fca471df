import { existsSync, globSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Markdown that is meant for people; the pages of templates belong to the projects that are made of them. */
const SOURCES = ['*.md', 'docs/**/*.md', '{lib,constructs,apps,test}/**/README.md'];

/** Every Markdown page of a repository, as paths from its root. */
export const pagesOf = (repository: string): readonly string[] =>
  globSync(SOURCES, { cwd: repository })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();

/** Where the site has what the repository has at a path: `docs/` is the root of the site, a README the index of its folder. */
export const sitePathOf = (source: string): string => {
  if (source.endsWith('README.md')) return sitePathOf(source.replace(/README\.md$/, 'index.md'));
  if (source.startsWith('docs/')) return source.slice('docs/'.length);
  // Written in capitals because it is found at a glance in a listing; an address needs none.
  return /^[A-Z_]+\.md$/.test(source) ? source.toLowerCase().replaceAll('_', '-') : source;
};

/** The address of a page on the site, without the file extension. */
export const addressOf = (source: string): string => `/${sitePathOf(source).replace(/(?:(?<=^|\/)index)?\.md$/, '')}`;

/** The page that a path of the repository leads to: itself, or the README of a folder. */
export const pageAt = (repository: string, path: string): string | undefined => {
  const readme = posix.join(path, 'README.md');
  const candidates = path.endsWith('.md') ? [path] : [readme];
  return candidates.find((candidate) => pageIs(candidate) && existsSync(join(repository, candidate)));
};

const pageIs = (path: string): boolean => SOURCES.some((pattern) => posix.matchesGlob(path, pattern));
