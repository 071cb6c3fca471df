import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { summaryOf, titleOf } from './markdown.ts';
import { pagesOf, sitePathOf } from './pages.ts';
import { pagesIn, sidebarGroups } from './sidebar.ts';

/** The files for language models: https://llmstxt.org. */
export interface LlmsFiles {
  /** A list of all pages by group, with a summary of each page. */
  readonly index: string;
  readonly full: string;
}

/**
 * Makes `llms.txt` and `llms-full.txt`.
 *
 * @param base - the path of the site on its host, such as `/` or `/project/`
 */
export const llmsFiles = async (repository: string, base: string): Promise<LlmsFiles> => {
  const pages = pagesOf(repository);
  const read = async (page: string): Promise<string> => readFile(join(repository, page), 'utf8');
  const line = async (page: string): Promise<string> => {
    const text = await read(page);
    return `- [${titleOf(text)}](${base}${sitePathOf(page)}): ${summaryOf(text)}`;
  };
  const section = async (group: (typeof sidebarGroups)[number]): Promise<string> =>
    [`## ${group.title}`, '', ...(await Promise.all(pagesIn(group, pages).map(line)))].join('\n');
  const readme = await read('README.md');
  const head = `# ${titleOf(readme)}\n\n> ${summaryOf(readme)}`;
  const inOrder = sidebarGroups.flatMap((group) => pagesIn(group, pages));
  const texts = await Promise.all(inOrder.map(read));
  return {
    index: `${[head, ...(await Promise.all(sidebarGroups.map(section)))].join('\n\n')}\n`,
    full: texts.join('\n\n'),
  };
};
