import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageEntryPointsOf } from '#apps/site/api.ts';
import { type LinkedPage, linkPage } from '#apps/site/links.ts';
import { anchorsOf, summaryOf, titleOf } from '#apps/site/markdown.ts';
import { addressOf, sitePathOf } from '#apps/site/pages.ts';

const files = {
  'README.md': '# Start\n\n## The end',
  'docs/guide.md': '# Guide\n\n## A `code` & more\n\n## Twice\n\n## Twice\n',
  'docs/kinds/README.md': '# Kinds',
  'docs/pictures/a.svg': '<svg/>',
  'lib/loop/README.md': '# Loop',
  'lib/loop/queue.ts': '',
};

/** A page of a repository with the files above, in `docs/page.md`. */
const linked = async (text: string, sources?: string): Promise<LinkedPage> => {
  const repository = await mkdtemp(join(tmpdir(), 'site-'));
  try {
    for (const [path, content] of Object.entries({ ...files, 'docs/page.md': text })) {
      await mkdir(dirname(join(repository, path)), { recursive: true });
      await writeFile(join(repository, path), content);
    }
    return linkPage('docs/page.md', { repository, sources });
  } finally {
    await rm(repository, { recursive: true });
  }
};

const SOURCES = 'https://example.com/acme/project/blob/main';

describe('linkPage()', () => {
  it.for([
    ['[a](guide.md)', '[a](./guide.md)'],
    ['[a](guide.md#a-code--more)', '[a](./guide.md#a-code--more)'],
    ['[a](guide.md#twice-1)', '[a](./guide.md#twice-1)'],
    ['[a](../README.md#the-end)', '[a](./index.md#the-end)'],
    ['[a](kinds)', '[a](./kinds/index.md)'],
    ['[`lib/loop`](../lib/loop/README.md)', '[`lib/loop`](./lib/loop/index.md)'],
    ['![a](pictures/a.svg)', '![a](./pictures/a.svg)'],
    ['[a](https://example.com/#b)', '[a](https://example.com/#b)'],
    ['<!-- for\nwriters -->b', 'b'],
    ['`[a](nowhere.md)` and ``[`b`](nowhere.md)``', '`[a](nowhere.md)` and ``[`b`](nowhere.md)``'],
    ['```md\n[a](nowhere.md)\n```', '```md\n[a](nowhere.md)\n```'],
  ])('makes of %s what works on the site', async ([text = '', expected]) => {
    const page = await linked(text);
    expect(page).toMatchObject({ text: expected, dead: [] });
  });

  it('leads into sources where people see them, and shows plain text where that is not known', async () => {
    const text = '[a](../lib/loop/queue.ts), [b](../lib)';
    const { text: withAddress } = await linked(text, SOURCES);
    const tree = SOURCES.replace('blob', 'tree');
    expect(withAddress).toBe(`[a](${SOURCES}/lib/loop/queue.ts), [b](${tree}/lib)`);
    expect((await linked(text)).text).toBe('a, b');
  });

  it.for([
    ['[a](nowhere.md)', 'docs/page.md: the link "nowhere.md" leads nowhere: there is no docs/nowhere.md'],
    ['[a](#b)', 'docs/page.md: the link "#b" leads nowhere: docs/page.md has no heading #b'],
    [
      '[a](guide.md#twice-2)',
      'docs/page.md: the link "guide.md#twice-2" leads nowhere: docs/guide.md has no heading #twice-2',
    ],
    [
      '[a](../lib/loop/none.ts)',
      'docs/page.md: the link "../lib/loop/none.ts" leads nowhere: there is no lib/loop/none.ts',
    ],
  ])('finds that %s is dead', async ([text = '', reason]) => {
    expect((await linked(text)).dead).toEqual([reason]);
  });

  it('says which pictures a page shows', async () => {
    expect((await linked('![a](pictures/a.svg)')).pictures).toEqual(['docs/pictures/a.svg']);
  });
});

describe('addressOf()', () => {
  it.for([
    ['README.md', 'index.md', '/'],
    ['CODE_OF_CONDUCT.md', 'code-of-conduct.md', '/code-of-conduct'],
    ['docs/kinds/README.md', 'kinds/index.md', '/kinds/'],
    ['docs/kinds/pod-set.md', 'kinds/pod-set.md', '/kinds/pod-set'],
    ['lib/loop/README.md', 'lib/loop/index.md', '/lib/loop/'],
  ])('puts %s where people look for it', ([source = '', place, address]) => {
    expect([sitePathOf(source), addressOf(source)]).toEqual([place, address]);
  });
});

describe('anchorsOf()', () => {
  it('leaves out headings in code', () => {
    expect(anchorsOf('# A\n\n```sh\n# a comment\n```\n\n## [B](c.md), and more')).toEqual(['a', 'b-and-more']);
  });
});

describe('summaryOf()', () => {
  it('is the first sentence of the first paragraph, without markup', () => {
    const text =
      '# `A` [page](b.md)\n\n> A note.\n\n| a |\n|---|\n\nIt **says** what [this](c.md) is, at some length, and v1.2 is no end of it. More.';
    expect(titleOf(text)).toBe('A page');
    expect(summaryOf(text)).toBe('It says what this is, at some length, and v1.2 is no end of it.');
  });

  it('takes a second sentence when the first is short', () => {
    expect(summaryOf('# A\n\nShort. But good. And more.')).toBe('Short. But good.');
  });
});

describe('packageEntryPointsOf()', () => {
  it('names the modules of a package as people import them, and leaves out its data', () => {
    const exports = { '.': './lib/index.ts', './testing': './lib/testing.ts', './package.json': './package.json' };
    expect(packageEntryPointsOf({ name: 'acme', exports })).toEqual([
      { name: 'acme', source: './lib/index.ts' },
      { name: 'acme/testing', source: './lib/testing.ts' },
    ]);
  });
});
