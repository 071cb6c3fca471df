import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { type Ran, ran } from './run-cli.ts';

const CONFIG = join(repository, 'reconcile.config.ts');

const setOf = (replicas: number): string => `apiVersion: app.example.com/v1alpha1
kind: PodSet
metadata:
  name: web
  namespace: default
spec:
  replicas: ${replicas}
`;

let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'plan-'));
  await Promise.all([
    writeFile(join(cwd, 'three.yaml'), setOf(3)),
    writeFile(join(cwd, 'minus.yaml'), setOf(-1)),
    writeFile(join(cwd, 'loud.yaml'), setOf(0).replace('spec:', '  annotations:\n    loud: "\\e]0;x\\a\\e[2J"\nspec:')),
    writeFile(join(cwd, 'nothing.yaml'), '---\n'),
    writeFile(join(cwd, 'wrong.yaml'), `${setOf(3)}---\n${setOf(3).replace('v1alpha1', 'v1alpha9')}`),
    writeFile(join(cwd, 'nameless.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n'),
  ]);
});

afterAll(async () => rm(cwd, { recursive: true, force: true }));

const planned = async (words: string): Promise<Ran> => ran(`plan --config ${CONFIG} ${words}`, { cwd });

describe('the command plan', () => {
  it('shows what would follow and ends with 2 when something would', async () => {
    const { stdout, stderr, code } = await planned('-f three.yaml --against nothing.yaml');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^PodSet default\/web would be created$/m);
    expect(stdout).toMatch(/^ {2}\+ Pod web-\w{5} +Missing$/m);
    expect(stdout).toMatch(/^Plan: 3 to create, 0 to change, 0 to delete\. The status of 1 resource changes\.$/m);
    expect(code).toBe(2);
  });

  it.for(['', ' --horizon 30d'])('ends with 130 when it is interrupted%s', async (more) => {
    const line = `plan --config ${CONFIG} -f three.yaml --against nothing.yaml${more}`;
    expect(await ran(line, { cwd, signal: AbortSignal.abort() })).toEqual({ code: 130, stdout: '', stderr: '' });
  });

  it('ends with 0 when all that would be written would be written anyway', async () => {
    const { stdout, code } = await planned('-f three.yaml --against three.yaml');
    expect(stdout).toMatch(/^PodSet default\/web would stay as it is$/m);
    expect(stdout).toMatch(/^ {2}\+ Pod web-\w{5} +Missing \(without the change, too\)$/m);
    expect(code).toBe(0);
  });

  it('refuses hosts of effects that are none', async () => {
    const line = `plan --config ${CONFIG} -f three.yaml --against nothing.yaml`;
    const { stderr, code } = await ran(line, { cwd, env: { EFFECT_HOSTS: 'https://a.example.com' } });
    expect(stderr).toMatch(/EFFECT_HOSTS contains "https:\/\/a\.example\.com"/);
    expect(code).toBe(1);
  });

  it('names file and line of a manifest whose version is not served', async () => {
    const { stderr, code } = await planned('-f wrong.yaml --against nothing.yaml');
    expect(stderr).toMatch(
      /^cdk8s-reconcile: wrong\.yaml:9: .*; PodSet is served in app\.example\.com\/v1alpha1: correct/,
    );
    expect(code).toBe(1);
  });

  it("plans the operator's own bundle", async () => {
    const { stdout, code } = await planned(`-f ${repository}/synth-out/operator.k8s.yaml --against nothing.yaml`);
    expect(stdout).toMatch(/^Deployment cdk8s-reconcile\/cdk8s-reconcile would be created$/m);
    expect(stdout).not.toContain('refused');
    expect(code).toBe(2);
  });

  it('prints the plan as data', async () => {
    const { stdout, code } = await planned('-f three.yaml --against nothing.yaml -o json');
    const plan: unknown = JSON.parse(stdout);
    const pod = { action: 'create', kind: 'Pod', reason: 'Missing', owner: { name: 'web' } };
    expect(plan).toMatchObject({
      changes: [{ kind: 'PodSet', outcome: 'created' }],
      writes: [pod, pod, pod, { action: 'status', kind: 'PodSet' }],
      summary: { create: 3, change: 0, delete: 0, status: 1, refused: 0, alsoWithout: 0 },
    });
    expect(code).toBe(2);
  });

  it('ends with 1 and the words of the API server when it would refuse the change', async () => {
    const { stdout, code } = await planned('-f minus.yaml --against nothing.yaml');
    expect(stdout).toMatch(/would be refused\n {2}422 .*should be greater than or equal to 0/);
    expect(code).toBe(1);
  });

  it.each(['', '--details'])('sends no commands of objects to the terminal %s', async (option) => {
    const { stdout } = await planned(`-f loud.yaml --against three.yaml ${option}`);
    expect(stdout).toContain(String.raw`\x1b]0;x\x07\x1b[2J`);
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it('shows what follows in time with a horizon', async () => {
    const { stdout } = await planned('-f three.yaml --against nothing.yaml --horizon 10m');
    expect(stdout).toMatch(/In virtual time[^\n]*\n +0s \+ Pod default\/web-\w{5} Missing/);
  });

  it.each([
    ['-f three.yaml --against nothing.yaml --horizon soon', /--horizon is "soon"; it must be a length of time/, 64],
    ['-f three.yaml --against nothing.yaml --horizon 0s', /--horizon is "0s"; it must be a length of time/, 64],
    ['-f nameless.yaml --against nothing.yaml', /nameless\.yaml:1: metadata\.name is missing/, 1],
    ['-f three.yaml --against nowhere', /Cannot read nowhere/, 1],
    [
      '-f three.yaml --subresource scale',
      /--subresource <name>' argument 'scale' is invalid\. Allowed choices are status\./,
      64,
    ],
    ['-f nothing.yaml --against three.yaml', /There is no object in nothing\.yaml; a plan needs the manifest/, 1],
  ])('refuses %s', async (words, message, expected) => {
    const { stderr, code } = await planned(words);
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
  });
});
