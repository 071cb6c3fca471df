import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Cluster } from '#lib/cli/shell/context.ts';
import { openDevCluster } from '#lib/cli/verbs/dev/cluster/dev-cluster.ts';
import { operatorFiles } from '#lib/cli/verbs/dev/cluster/operator-files.ts';
import { manualTimers, settle } from '../kube/manual-timers.ts';
import { recordingContext } from './run-cli.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dev-cluster-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const credentials = {
  server: 'https://virtual',
  namespace: 'default',
  source: 'a test',
  authenticate: async () => ({ headers: {}, tls: {} }),
  renew: async () => undefined,
};

const tokenFile = (): Promise<string> => readFile(join(folder, 'token'), 'utf8');

/** Issues a new token for each request, and no token while `isAway` is true. */
const issuer = () => {
  const issued = { count: 0, isAway: false };
  const ask: Cluster['ask'] = async () => {
    if (issued.isAway) throw new Error('nobody answers');
    issued.count += 1;
    return { code: 201, body: { status: { token: `token-${issued.count}` } }, date: undefined };
  };
  return { issued, cluster: { ask } as Cluster };
};

describe('operatorFiles()', () => {
  it('write() returns the same token to concurrent callers', async () => {
    const { cluster, issued } = issuer();
    using files = operatorFiles(folder, { cluster, credentials, timers: manualTimers(), onFailure: () => undefined });
    await Promise.all([files.write(), files.write(), files.write()]);
    expect(issued.count).toBe(1);
    expect(await tokenFile()).toBe('token-1');
    await files.write();
    expect(await tokenFile()).toBe('token-2');
  });

  it('operatorFiles() reports why a token could not be renewed, and goes on until it is disposed of', async () => {
    const { cluster, issued } = issuer();
    const failures: unknown[] = [];
    const timers = manualTimers();
    {
      using files = operatorFiles(folder, { cluster, credentials, timers, onFailure: (error) => failures.push(error) });
      await files.write();
      issued.isAway = true;
      await timers.advance(5 * 60_000);
      await settle();
      expect(failures).toMatchObject([{ message: 'nobody answers' }]);
      issued.isAway = false;
      await timers.advance(5 * 60_000);
      expect(issued.count).toBe(2);
      await expect.poll(tokenFile).toBe('token-2');
    }
    expect(timers.pending()).toEqual([]);
  });
});

const opened = (kubeconfig: string) => {
  const ended: string[] = [];
  const close = async (): Promise<void> => void ended.push('cluster');
  const start = async () => ({
    url: 'https://127.0.0.1:1',
    ca: '',
    adminToken: 't',
    kubeconfig,
    requests: () => [],
    close,
  });
  const { context } = recordingContext();
  return { ended, dev: openDevCluster(context, { cluster: 'embedded', start }) };
};

describe('openDevCluster()', () => {
  it('openDevCluster() closes the embedded cluster when something fails after its start', async () => {
    const { ended, dev } = opened(join(folder, 'nothing', 'admin.kubeconfig'));
    await expect(dev).rejects.toThrow('ENOENT');
    expect(ended).toEqual(['cluster']);
  });

  it('openDevCluster() closes the embedded cluster in the end', async () => {
    const { ended, dev } = opened(join(folder, 'admin.kubeconfig'));
    await (await dev)[Symbol.asyncDispose]();
    expect(ended).toEqual(['cluster']);
  });
});
