import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { anchorsOf, type MarkdownLink, withLinks } from './markdown.ts';
import { pageAt, sitePathOf } from './pages.ts';

/** The repository that contains the pages, and the address of its sources. */
export interface LinkTargets {
  readonly repository: string;
  /**
   * The address of the published sources, such as `https://example.com/acme/project/blob/main`. Without it, links to sources
   * become plain text.
   */
  readonly sources?: string | undefined;
}

/** A page with links that work on the site. */
export interface LinkedPage {
  readonly text: string;
  /** The broken links, each with the reason. */
  readonly dead: readonly string[];
  /** The pictures in the page, as paths in the repository. */
  readonly pictures: readonly string[];
}

const isExternal = (target: string): boolean => /^[a-z]+:/i.test(target);

const faultOf = (repository: string, path: string, anchor: string | undefined): string | undefined => {
  if (!existsSync(join(repository, path))) return `there is no ${path}`;
  const page = pageAt(repository, path);
  if (anchor === undefined || page === undefined) return undefined;
  const anchors = anchorsOf(readFileSync(join(repository, page), 'utf8'));
  return anchors.includes(anchor) ? undefined : `${page} has no heading #${anchor}`;
};

const relativeLink = (from: string, to: string): string => {
  const path = posix.relative(posix.dirname(sitePathOf(from)), to);
  return path.startsWith('.') ? path : `./${path}`;
};

/**
 * Rewrites the links of a page. A link to another page leads to that page on the site. A link to a source leads to the
 * published source, or becomes plain text. Links to other sites do not change. A broken link does not change, and is listed in
 * `dead`.
 *
 * @param source - the path of the page in the repository
 */
export const linkPage = (source: string, { repository, sources }: LinkTargets): LinkedPage => {
  const dead: string[] = [];
  const pictures: string[] = [];
  const replace = ({ text, target, isPicture }: MarkdownLink): string => {
    const asIs = `${isPicture ? '!' : ''}[${text}](${target})`;
    if (isExternal(target)) return asIs;
    const [to = '', anchor] = target.split('#');
    const path = to === '' ? source : posix.join(posix.dirname(source), to).replace(/\/$/, '');
    const fault = faultOf(repository, path, anchor);
    if (fault !== undefined) {
      dead.push(`${source}: the link "${target}" leads nowhere: ${fault}`);
      return asIs;
    }
    const suffix = anchor === undefined ? '' : `#${anchor}`;
    if (isPicture) {
      pictures.push(path);
      return `![${text}](${relativeLink(source, sitePathOf(path))})`;
    }
    const page = pageAt(repository, path);
    if (page === source && to === '') return asIs;
    if (page !== undefined) return `[${text}](${relativeLink(source, sitePathOf(page))}${suffix})`;
    return sources === undefined ? text : `[${text}](${addressIn(sources, repository, path)}${suffix})`;
  };
  const text = withLinks(readFileSync(join(repository, source), 'utf8'), replace);
  return { text, dead, pictures };
};

/** GitHub uses `/blob/` for files and `/tree/` for folders. */
const addressIn = (sources: string, repository: string, path: string): string => {
  const base = statSync(join(repository, path)).isDirectory() ? sources.replace('/blob/', '/tree/') : sources;
  return `${base}/${path}`;
};
