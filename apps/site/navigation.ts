import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { titleOf } from './markdown.ts';
import { addressOf, pagesOf } from './pages.ts';
import { pagesIn, sidebarGroups } from './sidebar.ts';

/** An entry of the table of contents that TypeDoc writes. */
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

/** One group for each entry point, with the name that users import. In TypeDoc's table, names with a slash are nested. */
const entryPointsOf = (entries: readonly ApiEntry[]): readonly ApiEntry[] =>
  entries.flatMap(({ path = '', title, children = [] }) => [
    { title: path === '' ? title : dirname(path), path, children: children.filter((child) => !isEntryPoint(child)) },
    ...entryPointsOf(children.filter(isEntryPoint)),
  ]);

/**
 * The entries of the API for its own pages.
 *
 * @param navigation - the file of TypeDoc's table of contents
 */
const apiItems = (navigation: string): DefaultTheme.SidebarItem[] => {
  const entries = JSON.parse(readFileSync(navigation, 'utf8')) as readonly ApiEntry[];
  return [{ text: 'Reference', items: [{ text: 'API', link: '/api/' }] }, ...entryPointsOf(entries).map(apiItem)];
};

/** The link to the API. The hundreds of entries of the API are not in other sidebars, because each page would contain them. */
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
 * The sidebars. Pages of the API have a sidebar with the contents of the API. Other pages have a sidebar with groups of pages.
 *
 * @param navigation - the file of TypeDoc's table of contents
 */
export const sidebarsOf = (repository: string, navigation: string): DefaultTheme.SidebarMulti => ({
  '/api/': apiItems(navigation),
  '/': pageItems(repository),
});
