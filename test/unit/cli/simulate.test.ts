import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SimulationReport } from '#lib/foresight/simulate/report/report.ts';
import { ran } from './run-cli.ts';

const EXAMPLES = 'test/examples/simulate';
const DEPLOYER = 'test/manifests/deployer.yaml';

let folder = '';
const written = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

describe('simulate', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'simulate-'));
  });
  afterAll(async () => rm(folder, { recursive: true }));

  it('simulate prints the timeline of an example, and draws the picture that stands in the docs', async () => {
    const picture = join(folder, 'canary.svg');
    const { stdout, stderr, code } = await ran(
      `simulate ${DEPLOYER} --script ${EXAMPLES}/classic-canary.yaml --picture ${picture}`,
    );
    expect(code).toBe(0);
    expect(stderr).toBe(`Drawn: ${picture}\n`);
    expect(stdout).toContain('0:00:30 > Deployer nginx          image nginx:1.7.7 → nginx:1.7.8');
    expect(stdout).toContain('Step 3/4 · 60 % · sleeping');
    // The command that draws the picture again: cdk8s-reconcile simulate test/manifests/deployer.yaml --script
    // test/examples/simulate/classic-canary.yaml --picture docs/pictures/classic-canary.svg
    expect(await readFile(picture, 'utf8')).toBe(await readFile('docs/pictures/classic-canary.svg', 'utf8'));
  });

  it('simulate draws the CanaryRollout that stands in the docs', async () => {
    const picture = join(folder, 'rollout.svg');
    const { code, stdout } = await ran(`simulate --script ${EXAMPLES}/canary-rollout.yaml --picture ${picture}`);
    expect(code).toBe(0);
    expect(stdout).toContain('1.2 corrects a mistake of 1.1');
    expect(await readFile(picture, 'utf8')).toBe(await readFile('docs/pictures/canary-rollout.svg', 'utf8'));
  });

  it.for([
    ['failing-canary', DEPLOYER, '! Deployer nginx          Rollout aborted'],
    ['bad-day', '', '! ImmortalContainer phoenix  Pod stuck terminating'],
    ['gate', '', '! POST https://gate.example.com/may-begin → 403'],
  ] as const)('simulate shows the story of the example %s', async ([name, manifests, words]) => {
    const { stdout, code } = await ran(`simulate ${manifests} --script ${EXAMPLES}/${name}.yaml`);
    expect(code).toBe(0);
    expect(stdout.replaceAll(/ {2,}(?=POST)/g, ' ')).toContain(words);
  });

  it.for([
    ['drawn.png', '--picture is "drawn.png": pictures are SVG; name a file that ends with .svg', 64],
    ['none/drawn.svg', 'Cannot write none/drawn.svg: its folder does not exist; create it, or name another file', 1],
  ] as const)('simulate refuses to draw %s', async ([picture, words, expected]) => {
    const config = `${process.cwd()}/reconcile.config.ts`;
    const manifest = `${process.cwd()}/test/manifests/podset.yaml`;
    const { stderr, code } = await ran(`simulate ${manifest} --config ${config} --picture ${picture}`, { cwd: folder });
    expect([code, stderr]).toEqual([expected, `cdk8s-reconcile: ${words}\n`]);
  });

  it('simulate -o json prints the report', async () => {
    const { stdout } = await ran('simulate test/manifests/podset.yaml -o json --duration 1m --seed 7');
    const report = JSON.parse(stdout) as SimulationReport;
    expect(report).toMatchObject({ seed: 7, durationMs: 60_000 });
    expect(report.resources.map(({ object }) => object)).toEqual(['PodSet default/example-podset']);
  });

  it('simulate ends with 130 when it is interrupted', async () => {
    const signal = AbortSignal.abort();
    const ended = await ran('simulate test/manifests/podset.yaml --duration 30d', { signal });
    expect(ended).toEqual({ code: 130, stdout: '', stderr: '' });
  });

  it('simulate fits a terminal of 40 columns', async () => {
    const { stdout } = await ran('simulate test/manifests/podset.yaml', {
      isTerminal: true,
      columns: 40,
      env: { NO_COLOR: '1' },
    });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
  });

  it('simulate says where in the script a mistake is', async () => {
    const script = await written(
      'typo.yaml',
      'changes:\n  - at: 1m\n    scael: PodSet/web\n    to: 3\n  - { at: 0, kill: web-1 }\n',
    );
    const { stderr, code } = await ran(`simulate --script ${script}`);
    expect(code).toBe(1);
    expect(stderr).toContain(`${script}:2:5: changes[0] has no verb, only "scael", "to"`);
    expect(stderr).toContain('did you mean "scale"?');
  });

  it('simulate says when the impossible was asked for, and what there was', async () => {
    const script = await written('ghost.yaml', 'changes:\n  - at: 1m\n    kill: ghost\n');
    const { stderr, code } = await ran(`simulate test/manifests/podset.yaml --script ${script}`);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `${script}:3:11: changes[0].kill at 0:01:00, there is no pod "ghost" in namespace default; there are example-podset-`,
    );
  });

  it('simulate refuses a patch with a field that the schema does not have, with its position', async () => {
    const script = await written(
      'field.yaml',
      'changes:\n  - patch: PodSet/example-podset\n    with: { spec: { replcas: 2 } }\n',
    );
    const { stderr, code } = await ran(`simulate test/manifests/podset.yaml --script ${script}`);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `${script}:2:12: changes[0].patch at 0:00:00, the API server refused it: 422 Invalid: strict decoding error: unknown field "spec.replcas"\n`,
    );
  });

  it('simulate says where the script names a file that does not exist', async () => {
    const script = await written('gone.yaml', 'changes:\n  - { at: 1m, apply: nowhere.yaml }\n');
    expect(await ran(`simulate --script ${script}`)).toEqual({
      code: 1,
      stdout: '',
      stderr: `cdk8s-reconcile: ${script}:2:22: changes[0].apply names a file that cannot be used: Cannot read nowhere.yaml: there is no such file or folder; name another, or - for stdin\n`,
    });
  });

  it('simulate names line and column of malformed YAML', async () => {
    const script = await written('broken.yaml', 'changes:\n  - at: "1m\n');
    const { stderr, code } = await ran(`simulate --script ${script}`);
    expect([code, stderr.includes(`${script}:`)]).toEqual([1, true]);
  });

  it('simulate says what is wrong with a script that cannot be read', async () => {
    const alias = await written('alias.yaml', 'changes: *nothing\n');
    const unknown = await ran(`simulate --script ${alias}`);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringMatching(/alias\.yaml:1:\d+: Unresolved alias/) });
    const bomb = `a: &a [1,1,1,1,1,1,1,1,1,1]\n${['b', 'c', 'd', 'e', 'f', 'g']
      .map((name, at) => `${name}: &${name} [${`*${'abcdef'[at]},`.repeat(10)}]\n`)
      .join('')}`;
    const many = await ran(`simulate --script ${await written('bomb.yaml', bomb)}`);
    expect(many).toMatchObject({ code: 1, stderr: expect.stringMatching(/bomb\.yaml:1:1: Excessive alias count/) });
    const folder = await ran(`simulate --script ${dirname(alias)}`);
    expect(folder).toMatchObject({ code: 1, stderr: expect.stringMatching(/: it is a folder; name a file\n$/) });
    await symlink('circle.yaml', join(dirname(alias), 'circle.yaml'));
    const circle = await ran(`simulate --script ${join(dirname(alias), 'circle.yaml')}`);
    expect(circle.stderr).toMatch(/circle\.yaml: its symbolic links go round in a circle; name another\n$/);
  });

  it('simulate says where a manifest is that the API server refuses', async () => {
    const manifest = await written(
      'set.yaml',
      'apiVersion: app.example.com/v1alpha1\nkind: PodSet\nmetadata: { name: web }\nspec: { replicas: -1 }\n',
    );
    const { stderr, code } = await ran(`simulate ${manifest}`);
    expect(code).toBe(1);
    expect(stderr).toContain(`${manifest}:1: at 0:00:00, the API server refused PodSet default/web: 422 Invalid`);
  });

  it('simulate applies files of the folder of its script', async () => {
    await written(
      'more.yaml',
      'apiVersion: app.example.com/v1alpha1\nkind: PodSet\nmetadata: { name: more }\nspec: { replicas: 1 }\n',
    );
    const script = await written('apply.yaml', 'changes: [{ apply: more.yaml }]\n');
    const { stdout, code } = await ran(`simulate --script ${script}`);
    expect([code, stdout.includes('PodSet more  created')]).toEqual([0, true]);
  });

  it.for([
    ['simulate', 'there is nothing to simulate: no manifests, and no changes of a script', 1],
    ['simulate x.yaml', 'there is no such file or folder', 1],
    ['simulate test/manifests/podset.yaml --script x.yaml', 'Cannot read x.yaml', 1],
    ['simulate test/manifests/podset.yaml --seed x', '--seed is "x"; it must be a whole number\n', 64],
    ['simulate test/manifests/podset.yaml --runs 0', '--runs is "0"; it must be a whole number, 1 or more', 64],
    ['simulate test/manifests/podset.yaml --duration long', '--duration is "long"; it must be a length of time', 64],
  ] as const)('%s is refused', async ([line, words, expected]) => {
    const { stderr, code } = await ran(line);
    expect([code, stderr]).toEqual([expected, expect.stringContaining(words)]);
  });
});
