import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { accessTo } from '#apps/demo/cluster/access.ts';
import { install, removeAll } from '#apps/demo/cluster/install.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { ApiError } from '#lib/errors.ts';
import { refOf } from '#lib/kind/names.ts';
import { startEmbeddedCluster } from '#lib/testing.ts';
import { committedBundle } from '#test/control-plane/install.ts';

const refusal = (httpStatus: number, reason: string): ApiError =>
  new ApiError('delete', { httpStatus, reason, message: reason });

describe('removeAll()', () => {
  it('removeAll() removes the rest when a removal fails, and tells what is left', async () => {
    const there = new Set(['a', 'b', 'c']);
    const object = (name: string, error?: Error) => ({
      title: name,
      command: `kubectl delete thing ${name}`,
      remove: async () => {
        if (error !== undefined) throw error;
        there.delete(name);
      },
    });
    const created = [object('a'), object('b', refusal(403, 'Forbidden')), object('c')];
    await expect(removeAll(created)).rejects.toThrow(
      /still in the cluster.*:\n {2}kubectl delete thing b {3}# .*Forbidden/,
    );
    expect([...there]).toEqual(['b']);
  });

  it('removeAll() is content when something is gone already', async () => {
    const gone = { title: 'a', command: '', remove: () => Promise.reject(refusal(404, 'NotFound')) };
    await expect(removeAll([gone])).resolves.toBeUndefined();
  });
});

describe('install()', () => {
  it('install() asks once what a version serves, and leaves a definition that others use by then', async () => {
    await using cluster = await startEmbeddedCluster();
    await using access = await accessTo(cluster.kubeconfig);
    const installed = await install(access, committedBundle, { isOurs: false });
    const discovered = cluster.requests().filter(({ resource }) => /^\/apis?\/.*v1$/.test(resource));
    expect(discovered).toHaveLength(new Set(discovered.map(({ resource }) => resource)).size);
    expect(access.standing.size).toBe(installed.created.length);
    const metadata = { name: 'mine' };
    const { apiVersion, kind } = refOf(podSet);
    await access.api.create(
      refOf(podSet),
      { apiVersion, kind, metadata, spec: {} },
      { namespace: 'default', fieldManager: 'test' },
    );
    await expect(installed[Symbol.asyncDispose]()).rejects.toThrow(
      /kubectl delete CustomResourceDefinition podsets.app.example.com {3}# 1 of others would go with it, such as default\/mine: it stays/,
    );
    expect([...access.standing]).toEqual(['kubectl delete CustomResourceDefinition podsets.app.example.com']);
    expect(await access.api.get(refOf(podSet), { namespace: 'default', name: 'mine' })).toMatchObject({ metadata });
  });
});

describe('untilInterrupted()', () => {
  it('untilInterrupted() takes no closed terminal for a Ctrl-C, its echo for the same one, and a later one for another', async () => {
    const script = `
      import { untilInterrupted } from ${JSON.stringify(fileURLToPath(new URL('../../../apps/demo/interruption.ts', import.meta.url)))};
      untilInterrupted((code) => { console.log('again'); process.exit(code); }).addEventListener('abort', () => console.log('aborted'));
      setInterval(() => {}, 1000);
      console.log('ready');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      if (line === 'ready') child.kill('SIGHUP');
      if (line !== 'aborted') continue;
      await setTimeout(1100);
      child.kill('SIGINT');
      child.kill('SIGINT');
      await setTimeout(1500);
      child.kill('SIGTERM');
    }
    expect(said).toEqual(['ready', 'aborted', 'again']);
    expect(await exit).toEqual([143, null]);
  });
});
