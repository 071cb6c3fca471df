import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { App, Chart } from 'cdk8s';
import { Operator } from 'cdk8s-reconcile/constructs';
import { describe, expect, it } from 'vitest';
import { web } from '#test/examples/versions/web.ts';
import { repository } from './repository.ts';

const EXAMPLES = 'test/examples/versions';
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

describe('docs/versions.md', () => {
  it('shows the examples that are tested, all of them and no others', () => {
    const blocks = [...read('docs/versions.md').matchAll(/^```ts (\S+)\n([^]*?)^```$/gm)];
    expect(blocks.map(([, file = '']) => file).toSorted()).toEqual(readdirSync(join(repository, EXAMPLES)).toSorted());
    for (const [, file, code] of blocks) expect(code).toBe(read(`${EXAMPLES}/${file}`));
  });

  it('has an example whose tests pass', async () => {
    const args = ['--test', '--test-isolation=none', `${EXAMPLES}/*.test.ts`];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository });
    expect(stdout).toMatch(/pass 1\n.*fail 0\n/);
  });

  it('has an example that synth accepts, with no warning but the one that the page explains', () => {
    const props = { kinds: [web], name: 'web-operator', image: 'registry.example.com/web-operator:1' };
    const { warnings } = new Operator(new Chart(new App(), 'operator'), 'operator', props);
    expect(warnings).toEqual([expect.stringMatching(/^Web stores v1beta1, which functions convert from v1alpha1\./)]);
  });
});
