import { describe, expect, it } from 'vitest';
import { MARKDOWN_LIMIT, renderMarkdown } from '#lib/foresight/plan/markdown-document.ts';

const documentOf = (title: string, lines: readonly string[] = []) =>
  renderMarkdown({ name: 'plan', summary: 'Plan: 1 to create.', sections: [{ title, lines }] });

describe('renderMarkdown()', () => {
  it('renderMarkdown() has the mark first, then the summary, then one part to open for each section', () => {
    expect(documentOf('For PodSet default/web', ['+ Pod web-1'])).toBe(
      [
        '<!-- cdk8s-reconcile plan -->',
        '**Plan: 1 to create.**',
        '',
        '<details><summary><code>For PodSet default/web</code></summary>',
        '',
        '```diff',
        '+ Pod web-1',
        '```',
        '',
        '</details>',
        '',
      ].join('\n'),
    );
  });

  it.for([
    ['pods: the same', '``` pods: the same ```'],
    ['x ``` @octocat fixes gh-181, a@b.example', '```` x ``` @octocat fixes gh-181, a@b.example ````'],
  ])('renderMarkdown() lists a section without lines as code: %s', ([title = '', shown = '']) => {
    expect(documentOf(title)).toContain(`\n- ${shown}\n`);
  });

  // GitHub and GitLab decode entities before they look for references, and ignore the text of code elements.
  it.for(['@octocat fixes #181', 'gh-181', 'acme/shop#181', 'a5c3785ed8d6a35868bc169f07e40e889087fd2e'])(
    'renderMarkdown() refers to no user, issue or commit when a title contains %s',
    (reference) => {
      const text = documentOf(`PodSet default/x ${reference} would be refused`, [reference]);
      const rendered = text.replaceAll('&#64;', '@').replaceAll('&#35;', '#');
      expect(rendered).toContain(`<summary><code>PodSet default/x ${reference} would be refused</code></summary>`);
      expect(rendered.replaceAll(/<code>.*?<\/code>|```[^]*?```/g, '')).not.toContain(reference);
    },
  );

  it.for([
    ['markup', '<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['the end of the summary', '</summary></details>', '&lt;/summary&gt;&lt;/details&gt;'],
    ['a link', '[a](https://b.example)', '&#91;a&#93;(https&#58;//b.example)'],
    ['emphasis', '**a**_b_`c`', '&#42;&#42;a&#42;&#42;&#95;b&#95;&#96;c&#96;'],
    ['a line break', 'a\n# b', 'a&#92;x0a&#35; b'],
  ])('renderMarkdown() shows %s in a title as text', ([, title = '', shown = '']) => {
    expect(documentOf(title, ['x'])).toContain(`<summary><code>${shown}</code></summary>`);
  });

  it('renderMarkdown() has a fence that no line ends', () => {
    const text = documentOf('a', ['```', '````js', '</details>']);
    expect(text).toContain('\n`````diff\n```\n````js\n</details>\n`````\n');
  });

  it('renderMarkdown() leaves out times, so that the same change has the same text', () => {
    const [first, second] = ['2026-11-26T10:00:00Z', '2026-11-26T11:30:00.123456Z'].map((time) =>
      documentOf('a', [`+ status.lastStartTime: ${time}`]),
    );
    expect(first).toContain('+ status.lastStartTime: (time)');
    expect(first).toBe(second);
  });

  it('renderMarkdown() escapes control characters, and cuts long lines', () => {
    const text = documentOf('a', ['\u001B[2Jx', 'y'.repeat(1000)]);
    expect(text).toContain('\\x1b[2Jx');
    expect(text).toContain(`${'y'.repeat(299)}…\n`);
  });

  it('renderMarkdown() counts the lines that a section does not show', () => {
    const text = documentOf(
      'a',
      Array.from({ length: 205 }, (_, index) => `+ ${index}`),
    );
    expect(text).toContain('+ 199\n… and 5 more lines\n');
    expect(text).not.toContain('+ 200\n');
  });

  it('renderMarkdown() shortens a section of long lines, and shows the sections after it', () => {
    const long = { title: 'long', lines: Array.from({ length: 200 }, () => 'y'.repeat(300)) };
    const text = renderMarkdown({
      name: 'plan',
      summary: 'One is long.',
      sections: [long, { title: 'small', lines: ['+ Pod web-1'] }],
    });
    expect(text).toMatch(/\ny{300}\n… and 1\d\d more lines\n/);
    expect(text).toContain('\n+ Pod web-1\n');
    expect(text).not.toContain('left out');
  });

  it('renderMarkdown() leaves out only the sections that do not fit', () => {
    const sections = ['first', 'long', 'last'].map((title) => ({
      title,
      lines: [title === 'long' ? 'y'.repeat(290) : '+ Pod web-1'],
    }));
    const text = renderMarkdown({ name: 'plan', summary: 'One is long.', sections }, 500);
    expect(text.split('+ Pod web-1')).toHaveLength(3);
    expect(text).toContain('\n1 more part is left out');
  });

  it('renderMarkdown() stays within its limit, whole parts only, and counts the others', () => {
    const sections = Array.from({ length: 500 }, (_, index) => ({
      title: `part ${index}`,
      lines: ['+ '.padEnd(290, 'z')],
    }));
    const text = renderMarkdown({ name: 'plan', summary: 'Many.', sections });
    expect(text.length).toBeLessThanOrEqual(MARKDOWN_LIMIT);
    const shown = text.split('<details>').length - 1;
    expect(text.split('</details>').length - 1).toBe(shown);
    expect(text).toContain(`\n${500 - shown} more parts are left out, because a comment has a limited length.`);
    expect(text.length).toBeGreaterThan(MARKDOWN_LIMIT * 0.9);
  });
});
