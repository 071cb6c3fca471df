import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeApi } from './api.ts';
import { repository, siteFolders } from './folders.ts';
import { type LinkedPage, linkPage } from './links.ts';
import { llmsFiles } from './llms.ts';
import { pagesOf, sitePathOf } from './pages.ts';

/** The options of the site. */
export interface SiteOptions {
  /** The path of the site on its host. @default '/' */
  readonly base?: string | undefined;
  /**
   * The address of the published sources, such as `https://example.com/acme/project/blob/main`.
   *
   * @default links to sources are plain text
   */
  readonly sources?: string | undefined;
}

const writeInto = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
};

const copyInto = async (path: string, picture: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await copyFile(join(repository, picture), path);
};

/**
 * Returns the pages of this repository by path, with links that work on the site.
 *
 * @throws {Error} with all broken links
 */
export const linkedPages = (sources?: string): ReadonlyMap<string, LinkedPage> => {
  const pages = new Map(pagesOf(repository).map((page) => [page, linkPage(page, { repository, sources })]));
  const dead = [...pages.values()].flatMap((page) => page.dead);
  if (dead.length > 0) throw new Error(`The site has ${dead.length} dead link(s):\n${dead.join('\n')}`);
  return pages;
};

const writePages = async (sources: string | undefined): Promise<void> => {
  for (const [page, { text, pictures }] of linkedPages(sources)) {
    await writeInto(join(siteFolders.pages, sitePathOf(page)), text);
    for (const picture of pictures) await copyInto(join(siteFolders.pages, sitePathOf(picture)), picture);
  }
};

const writeForPrograms = async (base: string): Promise<void> => {
  const { index, full } = await llmsFiles(repository, base);
  await writeInto(join(siteFolders.html, 'llms.txt'), index);
  await writeInto(join(siteFolders.html, 'llms-full.txt'), full);
  for (const page of pagesOf(repository)) {
    const place = sitePathOf(page);
    await copyFile(join(siteFolders.pages, place), join(siteFolders.html, place));
  }
};

/**
 * Builds the site from the Markdown of the repository and the sources of its entry points.
 *
 * Flow: pages with links for the site → reference of the API → VitePress → `llms.txt`.
 *
 * @returns the folder of the site
 * @throws {Error} when a link is broken, or {@link writeApi} or VitePress fails
 */
export const buildSite = async ({ base = '/', sources }: SiteOptions = {}): Promise<string> => {
  await rm(siteFolders.pages, { recursive: true, force: true });
  await writePages(sources);
  const { pages, navigation } = siteFolders;
  await writeApi({ repository, folder: join(pages, 'api'), navigation, sources });
  const { build } = await import('vitepress');
  await build(join(repository, 'apps/site'), { base });
  await writeForPrograms(base);
  return siteFolders.html;
};
