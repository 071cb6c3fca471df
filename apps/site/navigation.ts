import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { titleOf } from './markdown.ts';
import { addressOf, pagesOf } from './pages.ts';
import { pagesIn, sidebarGroups } from './sidebar.ts';

interface ApiEntry {
  readonly title: string;
  readonly path?: string;
  readonly children?: readonly ApiEntry[];
}

const apiItem = ({ title, path, children }: ApiEntry): DefaultTheme.SidebarItem => ({
  text: title,
  ...(path === undefined ? {} : { link: `/api/${path.replace(/(?:(?<=^|\/)index)?\.md$/, '')}` }),
  ...(children === undefined ? {} : { collapsed: true, items: children.map(apiItem) }),
});

const isEntryPoint = ({ path }: ApiEntry): boolean => path?.endsWith('/index.md') === true;

/**
 * Makes one group for each entry point, with the name that users import. In the table of TypeDoc, an entry point such as
 * `name/part` is nested in `name`.
 */
const entryPointsOf = (entries: readonly ApiEntry[]): readonly ApiEntry[] =>
  entries.flatMap(({ path = '', title, children = [] }) => [
    { title: path === '' ? title : dirname(path), path, children: children.filter((child) => !isEntryPoint(child)) },
    ...entryPointsOf(children.filter(isEntryPoint)),
  ]);

const apiItems = (navigation: string): DefaultTheme.SidebarItem[] => {
  const entries = JSON.parse(readFileSync(navigation, 'utf8')) as readonly ApiEntry[];
  return [{ text: 'Reference', items: [{ text: 'API', link: '/api/' }] }, ...entryPointsOf(entries).map(apiItem)];
};

/** Other sidebars have one link in place of the hundreds of entries of the API, because each page contains its sidebar. */
const API: DefaultTheme.SidebarItem = { text: 'API', link: '/api/' };

const pageItems = (repository: string): DefaultTheme.SidebarItem[] => {
  const pages = pagesOf(repository);
  const item = (page: string): DefaultTheme.SidebarItem => ({
    text: page === 'README.md' ? 'Overview' : titleOf(readFileSync(join(repository, page), 'utf8')),
    link: addressOf(page),
  });
  return sidebarGroups.map((group) => ({
    text: group.title,
    collapsed: group.isClosed === true,
    items: [...pagesIn(group, pages).map(item), ...(group.title === 'Reference' ? [API] : [])],
  }));
};

/**
 * Makes two sidebars: the contents of the API for pages of the API, and the groups of pages for other pages.
 *
 * @param navigation - the file of TypeDoc's table of contents
 */
export const sidebarsOf = (repository: string, navigation: string): DefaultTheme.SidebarMulti => ({
  '/api/': apiItems(navigation),
  '/': pageItems(repository),
});
