import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pageOf, runInPage } from './runs.ts';

const HOSTILE = [
  '</script><script>alert(1)</script>',
  '</noscript></main><img src=x onerror=alert(1)>',
  '<!-- <script>',
  `"><svg onload='alert(1)'>`,
  '\u2028\u0000]]>',
];

const hostile = HOSTILE.join(' ');

const hostilePage = pageOf({
  verb: hostile,
  title: hostile,
  facts: [hostile],
  notes: [hostile],
  objects: [{ kind: hostile, namespace: hostile, name: hostile }],
  events: [
    {
      atMs: 0,
      sort: 'write',
      who: hostile,
      object: 0,
      what: hostile,
      why: hostile,
      effect: 'created',
      state: [hostile, 'calm'],
      fields: [[hostile, hostile, hostile]],
    },
  ],
});

const elementsOf = (html: string): readonly string[] =>
  [...html.matchAll(/<\/?([a-z][a-z0-9]*)/gi)].map(([, name = '']) => name);

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

describe('pageHtml()', () => {
  it('has the same elements with hostile names as with harmless names', () => {
    const harmless = hostilePage.replaceAll(/&(?:lt|gt|amp|quot|#39);/g, '').replaceAll(String.raw`\u003c`, '');
    expect(elementsOf(hostilePage)).toEqual(elementsOf(harmless));
    expect(hostilePage).not.toMatch(/<img|<svg|onerror=alert\(1\)>"/);
    expect(hostilePage.match(/<script/g)).toHaveLength(2);
    expect(hostilePage).not.toContain('\u0000');
  });

  it('lists facts and notes, and has no list without an entry', () => {
    const page = pageOf({ facts: ['two pods', 'one <operator>'] });
    expect(page).toContain('<ul class="facts"><li>two pods</li><li>one &lt;operator&gt;</li></ul>');
    expect(page).not.toContain('<ul class="notes">');
  });

  it('keeps hostile names as data', () => {
    const { title, objects, events } = runInPage(hostilePage);
    expect([title, objects[0]?.name, events[0]?.fields?.[0]?.[2]]).toEqual([hostile, hostile, hostile]);
  });

  it('has a policy that permits only its own script and style', () => {
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(hostilePage) ?? [];
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(hostilePage) ?? [];
    const [, script = ''] = /<script>(.*?)<\/script>/s.exec(hostilePage) ?? [];
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hashOf(script)}`,
      `style-src ${hashOf(style)}`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
  });

  it('has a histogram as a table with a bar for each row, and hostile names in it stay text', () => {
    const bars = [
      ['1', 2],
      [hostile, 8],
    ] as const;
    const page = pageOf({ histograms: [{ title: hostile, heads: ['Ready', 'Runs'], bars }] });
    const [table = ''] = /<table class="histogram">.*?<\/table>/s.exec(page) ?? [];
    expect(
      [...table.matchAll(/<td>(\d+)<\/td><td><svg[^>]*><rect width="(\d+)"/g)].map(([, ...words]) => words),
    ).toEqual([
      ['2', '40'],
      ['8', '160'],
    ]);
    expect(table).not.toMatch(/<img|<script/);
  });

  it('has less than 500 KB without data', () => {
    expect(Buffer.byteLength(pageOf({}))).toBeLessThan(100_000);
  });

  it('has a table of all events for browsers without JavaScript', () => {
    const [, table = ''] =
      /<noscript>(.*?)<\/noscript>/s.exec(
        pageOf({
          durationMs: 90_000,
          objects: [{ kind: 'Pod', namespace: 'shop', name: 'web' }],
          events: [
            { atMs: 0, sort: 'change', who: 'user', what: 'applied' },
            {
              atMs: 61_000,
              sort: 'write',
              who: 'kubelet',
              object: 0,
              what: 'ready',
              why: 'Started',
              cause: 0,
              fields: [['a', null, 'b']],
            },
          ],
        }),
      ) ?? [];
    expect(table).toContain(
      '<tr><th scope="row">2</th><td>0:01:01</td><td>Pod shop/web</td><td>kubelet</td><td>ready</td><td>Started</td><td>event 1</td><td class="fields">a: (none) → b</td></tr>',
    );
  });
});
