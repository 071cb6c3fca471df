import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { type Ran, ran } from './run-cli.ts';

let cwd: string;

const config = (name: string, kinds: readonly (readonly [constant: string, folder: string])[]): Promise<void> => {
  const imports = kinds.map(([constant, folder]) => {
    const from = join(repository, 'constructs', folder, 'kind.ts');
    return `import { ${constant} } from ${JSON.stringify(from)};`;
  });
  const list = kinds.map(([constant]) => constant).join(', ');
  return writeFile(join(cwd, name), `${imports.join('\n')}\nexport default { kinds: [${list}] };\n`);
};

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'upgrade-'));
  await config('both.ts', [
    ['podSet', 'pod-set'],
    ['immortalContainer', 'immortal-container'],
  ]);
  await config('one.ts', [['immortalContainer', 'immortal-container']]);
  const metadata = 'metadata: { name: web, namespace: default, uid: 1-2, resourceVersion: "5", generation: 1 }';
  const podSet = `apiVersion: app.example.com/v1alpha1\nkind: PodSet\n${metadata}\nspec: { replicas: 0 }\n`;
  await writeFile(join(cwd, 'dump.yaml'), podSet);
});
afterAll(() => rm(cwd, { recursive: true }));

const preview = (line: string, signal = new AbortController().signal): Promise<Ran> =>
  ran(`upgrade preview --against dump.yaml ${line}`, { cwd, signal });

describe('upgrade preview', () => {
  it('upgrade preview ends with 2 and says so when a kind is missing', async () => {
    const { code, stdout } = await preview('--from both.ts --config one.ts');
    expect(stdout).toContain(
      'PodSet: 1 there, without an operator after the upgrade: the new version does not have this kind\n',
    );
    expect(code).toBe(2);
    const table = await preview('--from both.ts --config one.ts -o table');
    expect(table.stdout).toMatch(/^PodSet \(vanished\) +1 +1$/m);
  });

  it('upgrade preview ends with 0 when nothing would change', async () => {
    expect(await preview('--from both.ts --config both.ts')).toMatchObject({ code: 0, stderr: '' });
  });

  it('upgrade preview ends with 130 and without a result when it is interrupted', async () => {
    const interrupted = await preview('--from both.ts --config one.ts', AbortSignal.abort());
    expect(interrupted).toEqual({ code: 130, stdout: '', stderr: '' });
  });
});
