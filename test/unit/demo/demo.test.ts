import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Node and the basic programs of a system, without Go and kubectl. */
const PATH = [join(root, 'node_modules', '.bin'), '/usr/bin', '/bin'].join(delimiter);

const demo = async (words: readonly string[], HOME = '/nonexistent') => {
  const env = { PATH, HOME, NO_COLOR: '1' };
  const run = promisify(execFile)(process.execPath, ['apps/demo.ts', ...words], { cwd: root, env });
  return run.then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
    ({ stdout, stderr, code }: { stdout: string; stderr: string; code: number }) => ({ stdout, stderr, code }),
  );
};

describe('npm start', () => {
  it('npm start shows the lives of three kinds on an embedded cluster, without Go, kubectl or a cache, and nothing is forbidden', async () => {
    const home = await mkdtemp(join(tmpdir(), 'demo-home-'));
    const { stdout, stderr, code } = await demo([], home);
    await rm(home, { recursive: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/PodSet example-podset: wanted 5, exist 5, ready 5 · Ready=True PodsReady/);
    expect(stdout).toMatch(/ImmortalContainer example-immortalcontainer: Running, starts 2 · Ready=True PodReady/);
    expect(stdout).toMatch(/CanaryRollout example-rollout: Healthy, 4 pods stable, 0 canary/);
    expect(stdout).toMatch(/The operator sent \d+ requests, 0 of them forbidden/);
  });

  it.for(['its reader ends', 'its terminal is closed'])(
    'npm start tidies up and ends with 130 when %s',
    async (what) => {
      const env = { PATH, HOME: '/nonexistent', NO_COLOR: '1' };
      const child = spawn(process.execPath, ['apps/demo.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      await once(child.stdout, 'data');
      if (what === 'its reader ends') child.stdout.destroy();
      else child.kill('SIGHUP');
      const [code] = (await once(child, 'close')) as [number | null];
      expect({ code, stderr }).toEqual({ code: 130, stderr: '\nInterrupted: what the demo had started is ended.\n' });
    },
  );

  it('npm start says which clusters there are when it is given another', async () => {
    const { stderr, code } = await demo(['--cluster', 'minikube']);
    expect(stderr).toContain('Cannot run on cluster "minikube": expected embedded, real, current');
    expect(code).toBe(1);
  });

  it('npm start does not touch a current cluster other than the one that was agreed to', async () => {
    const home = await mkdtemp(join(tmpdir(), 'demo-home-'));
    const entry = { name: 'production', context: { cluster: 'c' } };
    const config = { 'current-context': 'production', contexts: [entry], clusters: [{ name: 'c', cluster: {} }] };
    await mkdir(join(home, '.kube'));
    await writeFile(join(home, '.kube', 'config'), JSON.stringify(config));
    const { stderr, code } = await demo(['--cluster', 'current', '--yes=kind'], home);
    await rm(home, { recursive: true });
    expect(stderr).toMatch(/the current context is "production", and --yes agrees to "kind"/);
    expect(code).toBe(1);
  });

  it('npm start does not touch the current cluster unless two settings say so', async () => {
    const { stderr, code } = await demo(['--cluster', 'current']);
    expect(stderr).toMatch(/Cannot use your cluster without --yes: .* will be created in it, and removed in the end/);
    expect(code).toBe(1);
  });
});
