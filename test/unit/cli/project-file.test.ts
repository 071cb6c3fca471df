import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failedCallInWords, sourceLineOf } from '#lib/cli/project/project-file.ts';
import { InvalidDesiredError } from '#lib/errors.ts';
import { repository } from '#test/architecture/repository.ts';

const thrown = (frames: readonly string[]): Error =>
  Object.assign(new Error('boom'), { stack: ['Error: boom', ...frames.map((frame) => `    at ${frame}`)].join('\n') });

describe('placeOf()', () => {
  it.each([
    ['a function', 'desired (file:///project/kinds/web.ts:12:5)', '/project/kinds/web.ts'],
    ['a module', 'file:///project/kinds/web.ts:12:5', '/project/kinds/web.ts'],
    ['an async module', 'async file:///project/kinds/web.ts:12:5', '/project/kinds/web.ts'],
    ['a method', 'Object.desired [as call] (/project/kinds/web.ts:12:5)', '/project/kinds/web.ts'],
    ['a folder with a blank, as a URL', 'desired (file:///project/my%20kinds/web.ts:12:5)', '/project/my kinds/web.ts'],
    ['a folder with a blank', 'desired (/project/my kinds/web.ts:12:5)', '/project/my kinds/web.ts'],
  ])('placeOf() finds the line of %s', (_, frame, path) => {
    expect(sourceLineOf(thrown([frame]))).toEqual({ path, line: 12 });
  });

  it('placeOf() takes no module of Node for a file of the project', () => {
    const frames = [
      'process.processTicksAndRejections (node:internal/process/task_queues:104:5)',
      'node:internal/modules/run_main:101:5',
    ];
    expect(sourceLineOf(thrown(frames))).toBeUndefined();
    expect(sourceLineOf(thrown([...frames, 'desired (file:///project/web.ts:12:5)']))?.path).toBe('/project/web.ts');
  });

  it('placeOf() passes over packages', () => {
    const frames = ['parse (file:///project/node_modules/yaml/a.js:1:1)', 'desired (file:///project/web.ts:12:5)'];
    expect(sourceLineOf(thrown(frames))).toEqual({ path: '/project/web.ts', line: 12 });
  });
});

describe('failureInWords()', () => {
  const failure = { what: 'desired() of Web', key: 'default/a' };

  it('failureInWords() names every problem of an error of this library', () => {
    const error = new InvalidDesiredError('Web "default/a"', [
      { path: 'status', message: 'is missing', rule: 'result', fix: 'return one' },
      { path: 'state', message: 'is missing', rule: 'result', fix: 'return one' },
    ]);
    const words = failedCallInWords({ ...failure, error }, '/');
    expect(words).toMatch(
      /^desired\(\) of Web failed for default\/a: Cannot use .*- status: is missing.*- state: is missing/,
    );
    expect(words).not.toContain('\n');
  });

  it('failedCallInWords() writes no slash before the name of a cluster-scoped resource', () => {
    expect(failedCallInWords({ ...failure, key: '/a', error: new Error('boom') }, '/')).toMatch(
      /^desired\(\) of Web failed for a: /,
    );
  });

  it('failureInWords() says how file and line come to be known when no error was thrown', () => {
    expect(failedCallInWords({ ...failure, error: 'boom' }, '/')).toBe(
      'desired() of Web failed for default/a: boom (throw an Error instead: it knows file and line)',
    );
  });
});

describe('a project that is compiled', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compiled-'));
    const source = `import { defineKind, s } from ${JSON.stringify(join(repository, 'lib/index.ts'))};
interface Unused {
  readonly name: string;
}

const web = defineKind({
  group: 'a.acme.io', version: 'v1', kind: 'Web', description: 'Web of a test.', owns: [],
  spec: s.object({}), status: s.object({}),
  desired: () => {
    throw new Error('boom');
  },
});
export default { kinds: [web] };
`;
    const options = { loader: 'ts', sourcemap: 'inline', sourcefile: 'kinds/web.ts', minify: true } as const;
    await writeFile(join(folder, 'reconcile.config.js'), (await transform(source, options)).code);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'web.yaml'), 'apiVersion: a.acme.io/v1\nkind: Web\nmetadata: { name: a }\nspec: {}\n');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('a project that is compiled has its errors shown by the lines of its sources', async () => {
    const words = [join(repository, 'lib/cli/main.ts'), 'plan', '-f', 'web.yaml', '--against', 'web.yaml'];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder });
    expect(stdout).toContain('desired() of Web failed for default/a: boom (kinds/web.ts:10)');
  });
});
