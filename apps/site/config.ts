import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme, UserConfig } from 'vitepress';
import { repository, siteFolders } from './folders.ts';
import { anchorOf } from './markdown.ts';
import { sidebarsOf } from './navigation.ts';

interface Manifest {
  readonly name: string;
  readonly description: string;
}

const { name, description } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as Manifest;

/** Escapes `{{`, because Vue would read `{{ … }}` as an expression. */
const withoutExpressions = (html: string): string => html.replaceAll('{{', '&#123;&#123;');

/** Allows line breaks within a long name: between the words of `minReadySeconds`, and after the separators of a path. */
const withBreaks = (html: string): string => html.replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[a-z\d\]][._/])/gu, '<wbr>');

type Markdown = Parameters<NonNullable<NonNullable<UserConfig['markdown']>['config']>>[0];

const adaptTexts = (markdown: Markdown): void => {
  for (const rule of ['text', 'code_inline'] as const) {
    const render = markdown.renderer.rules[rule];
    if (render === undefined) throw new TypeError(`markdown-it has no rule "${rule}"`);
    const adapted = rule === 'text' ? withoutExpressions : (html: string) => withoutExpressions(withBreaks(html));
    markdown.renderer.rules[rule] = (...args) => adapted(render(...args));
  }
};

/** The settings of VitePress. By default, a broken link fails the build. */
export const siteConfig = (): UserConfig<DefaultTheme.Config> => ({
  title: name,
  description,
  lang: 'en',
  // An empty icon. Without it, browsers would request an icon that does not exist.
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    // A long path in a text can be wider than the screen of a phone, so it breaks anywhere. In a table, a path breaks only if
    // it does not fit alone; a table that is too wide scrolls.
    [
      'style',
      {},
      '.vp-doc :not(pre) > code { overflow-wrap: anywhere; } .vp-doc td > code { overflow-wrap: break-word; } .vp-doc :is(td, th) { padding: 6px 10px; }',
    ],
  ],
  srcDir: siteFolders.pages,
  outDir: siteFolders.html,
  cacheDir: siteFolders.cache,
  cleanUrls: true,
  // Writes the metadata of all pages into one file, and not into each of hundreds of pages.
  metaChunk: true,
  markdown: {
    // The pages contain placeholders such as `<name>`, which are text and not HTML elements.
    html: false,
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    config: adaptTexts,
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: sidebarsOf(repository, siteFolders.navigation),
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Kinds', link: '/kinds/' },
      { text: 'API', link: '/api/' },
      { text: 'Changelog', link: '/changelog' },
    ],
  },
});
