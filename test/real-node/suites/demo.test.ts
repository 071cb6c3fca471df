import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { describeNode } from './node-suite.ts';

describeNode('npm start -- --cluster node', () => {
  it('shows the lives of three kinds with containers that run', async () => {
    const env = { ...process.env, NO_COLOR: '1' };
    const words = ['apps/demo.ts', '--cluster', 'node'];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: repository, env });
    expect(stdout).toMatch(/PodSet example-podset: wanted 5, exist 5, ready 5 · Ready=True PodsReady/);
    expect(stdout).toMatch(/ImmortalContainer example-immortalcontainer: Running, starts 2 · Ready=True PodReady/);
    expect(stdout).toMatch(/CanaryRollout example-rollout: Healthy, 4 pods stable, 0 canary/);
  });
});
