import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as door from 'cdk8s-reconcile';
import { describe, expect, it } from 'vitest';
import { limits } from '#lib/desired/result/limits.ts';
import { repository } from './repository.ts';

const EXAMPLES = 'test/examples/authors';
const PAGES = ['docs/authors.md', 'docs/function.md', 'docs/extensions.md'];
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

const blocks = PAGES.flatMap((page) =>
  [...read(page).matchAll(/^```ts (\S+)\n([^]*?)^```$/gm)].map(([, file = '', code = '']) => ({ file, code })),
);

/** The members of an interface, by the text of its file: types are gone when tests run. */
const membersOf = (path: string, name: string): readonly string[] => {
  const [, body = ''] = new RegExp(`export interface ${name}\\b[^]*?\\{\\n([^]*?)^\\}`, 'm').exec(read(path)) ?? [];
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member = '']) => member);
};

const number = (value: number): string => value.toLocaleString('en');

const isHandle = (value: unknown): value is door.KindRef =>
  typeof value === 'object' && value !== null && 'plural' in value && 'scope' in value;

describe('the pages for authors', () => {
  it('show the examples that are tested, all of them and no others', () => {
    const files = readdirSync(join(repository, EXAMPLES)).filter((file) => !file.endsWith('.test.ts'));
    expect(blocks.map(({ file }) => file).toSorted()).toEqual(files);
    for (const { file, code } of blocks) expect(code).toBe(read(`${EXAMPLES}/${file}`));
  });

  it('show what render() makes of one of them', () => {
    const [, text = ''] =
      /render\(portal, shop\)\.text,\n {4}`([^`]*)`/.exec(read(`${EXAMPLES}/authors.test.ts`)) ?? [];
    expect(text).toMatch(/^Portal "shop"/);
    expect(read('docs/authors.md')).toContain(`\`\`\`\n${text}\`\`\``);
  });

  it('have examples whose tests pass', async () => {
    const args = ['--test', '--test-isolation=none', `${EXAMPLES}/*.test.ts`];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository });
    expect(stdout).toMatch(/pass 11\n.*fail 0\n/);
  });

  it('name every option of a definition, every builder of schemas and every handle', () => {
    const page = read('docs/authors.md');
    const options = [
      ...membersOf('lib/kind/shape.ts', 'KindShape'),
      ...membersOf('lib/kind/versions/version-shape.ts', 'VersionShape'),
      ...membersOf('lib/desired/definition.ts', 'KindDefinition'),
    ];
    expect(options.length).toBeGreaterThan(20);
    expect(options.filter((name) => !new RegExp(`^\\| [^|]*\`${name}\``, 'm').test(page))).toEqual([]);
    const builders = Object.keys(door.s).filter((name) => !new RegExp(`\`s\\.${name}[(<]`).test(page));
    expect(builders).toEqual([]);
    const handles = Object.entries(door).flatMap(([name, value]) => (isHandle(value) ? [name] : []));
    expect(handles.length).toBeGreaterThan(5);
    expect(handles.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    const members = membersOf('lib/kind/handles/reference.ts', 'KindRef').filter((name) => name !== 'labelled');
    expect(members.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('name what a function sees and returns', () => {
    const page = read('docs/function.md');
    const seen = membersOf('lib/desired/observation.ts', 'Observation');
    const returned = membersOf('lib/desired/result/desired.ts', 'Desired');
    expect(seen.length + returned.length).toBeGreaterThan(12);
    expect([...seen, ...returned].filter((name) => !new RegExp(`\`${name}\\b`).test(page))).toEqual([]);
  });

  it('show the limits of a result', () => {
    const page = read('docs/authors.md');
    for (const text of [
      `| ${number(limits.children)} |`,
      `| ${limits.objectBytes / 1024 / 1024} MiB |`,
      `| ${limits.resultBytes / 1024 / 1024} MiB; a part that several objects share counts once |`,
      `| ${limits.statusBytes / 1024} KiB |`,
      `| ${limits.conditions}, ${limits.events}, ${limits.effects} |`,
      `| ${limits.depth} levels |`,
      `| ${number(limits.urlLength)} characters, ${limits.bodyBytes / 1024} KiB;`,
      `| ${limits.effectKeyLength} characters:`,
      `| ${limits.timeoutSeconds}, ${limits.retries} |`,
    ])
      expect(page).toContain(text);
  });
});
