import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { podSet } from '#constructs/pod-set/kind.ts';
import { pageActions } from '#lib/cli/verbs/dev/ui/page-actions.ts';
import { manifestText } from '#lib/cli/verbs/dev/ui/page-manifest.ts';
import { inputProblemOf, refusedProblem } from '#lib/cli/verbs/dev/ui/worker/input-problem.ts';
import type { WorkerAnswer, WorkerOrder } from '#lib/cli/verbs/dev/ui/worker/orders.ts';
import { WorkerProcess } from '#lib/cli/verbs/dev/ui/worker/worker-process.ts';
import { startEmbeddedCluster } from '#lib/embedded/embedded-cluster.ts';
import { Secret } from '#lib/kind/handles/built-in-handles.ts';
import { refOf } from '#lib/kind/names.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { repository } from '#test/architecture/repository.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { podSetManifest } from '#test/unit/foresight/simulate/stories.ts';
import { isAlive } from '#test/unit/support/is-alive.ts';
import { virtualCluster } from './virtual-cluster.ts';

const folder = join(repository, 'test/site/live');
const place = { config: join(folder, 'reconcile.config.ts'), cwd: folder };
const order: WorkerOrder = { ...place, type: 'try', yaml: 'kind: [', horizon: '1m' };

describe('problems of a manifest', () => {
  const yaml = 'apiVersion: v1\nkind: X\nspec:\n  steps:\n    - percent: 10\n    - percent: 101\n';

  it('have the position of the parser, or that of the refused field', () => {
    expect(inputProblemOf('stdin:3:5: bad: worse')).toEqual({ message: 'bad: worse', line: 3, column: 5 });
    expect(inputProblemOf('no position')).toEqual({ message: 'no position' });
    const message = 'X "a" is invalid: spec.steps[1].percent: Invalid value: 101: must be at most 100';
    expect(refusedProblem(yaml, message)).toEqual({ message, line: 6, column: 16 });
    const missing = 'X "a" is invalid: spec.steps[0].image: Required value';
    expect(refusedProblem(yaml, missing)).toMatchObject({ line: 5 });
    expect(refusedProblem(yaml, 'no field: at all')).toEqual({ message: 'no field: at all' });
    expect(refusedProblem(`${yaml}---\n${yaml}`, message)).toEqual({ message });
  });

  it('leave out the object that the server repeats with unknown fields', () => {
    const message = ' "" is invalid: patch: Invalid value: "{…}": strict decoding error: unknown field "spec.stepz"';
    expect(refusedProblem(yaml, message)).toEqual({ message: 'unknown field "spec.stepz"', line: 4, column: 3 });
  });
});

describe('the actions of the live page', () => {
  it('give the manifest of an object without what the cluster has added, and none of a Secret', async () => {
    const { cluster } = await virtualCluster((user) =>
      user.create(refOf(podSet), { ...podSetManifest(2), metadata: { name: 'web', namespace: 'default' } }),
    );
    const { apiVersion, ...rest } = refOf(podSet);
    // A kind of another group has the same name.
    const shown = [{ ...rest, apiVersion: 'other.example.com/v1' }, { apiVersion, ...rest }, Secret];
    const worker = { execute: () => Promise.reject(new Error('not called')) };
    const { manifest } = pageActions({ dev: { cluster }, place, worker, shown: () => shown, writes: undefined });
    const ours = { kind: 'PodSet', group: 'app.example.com', namespace: 'default' };
    const answer = await manifest?.({ ...ours, name: 'web' });
    const { metadata, ...found } = parse((answer as { yaml: string }).yaml);
    expect(Object.keys(metadata).toSorted()).toEqual(['name', 'namespace']);
    expect(found).toMatchObject({ apiVersion, kind: 'PodSet', spec: { replicas: 2 } });
    expect(found).not.toHaveProperty('status');
    const problemOfAnswer = async (body: unknown): Promise<string> =>
      ((await manifest!(body)) as { problem: { message: string } }).problem.message;
    expect(await problemOfAnswer({ kind: 'Secret', namespace: 'default', name: 'x' })).toMatch(/never shown/);
    expect(await problemOfAnswer({ ...ours, name: 'no' })).toMatch(/not found/);
    expect(await problemOfAnswer({ kind: 'PodSet', name: 'web' })).toMatch(/does not show PodSet/);
    expect(await problemOfAnswer({ kind: 'Node', name: 'node-1' })).toMatch(/does not show Node/);
    for (const body of [null, [], { kind: 'PodSet' }, { kind: 1, name: 'web' }])
      expect(await problemOfAnswer(body)).toMatch(/malformed/);
  });

  it('leave out owners and finalizers of a manifest', () => {
    const metadata = {
      name: 'a',
      uid: 'u',
      resourceVersion: '1',
      finalizers: ['x'],
      ownerReferences: [],
      labels: { a: 'b' },
    };
    expect(parse(manifestText({ apiVersion: 'v1', kind: 'Pod', metadata, status: {}, spec: {} }))).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', labels: { a: 'b' } },
      spec: {},
    });
  });

  it('try only a manifest with a known horizon', async () => {
    const { cluster } = await virtualCluster(() => undefined, { isStill: true });
    const orders: WorkerOrder[] = [];
    let answer: WorkerAnswer = { type: 'failed', problem: { message: 'tried' } };
    const worker: Pick<WorkerProcess, 'execute'> = {
      execute: async (given) => {
        orders.push(given);
        return answer;
      },
    };
    const actions = pageActions({ dev: { cluster }, place, worker, shown: () => [], writes: undefined });
    const tried = (body: unknown): unknown => actions['try']?.(body);
    for (const body of [null, {}, { yaml: 'a' }, { yaml: 'a', horizon: '2h' }, { yaml: 1, horizon: '1m' }])
      expect(await tried(body)).toMatchObject({ problem: { message: expect.stringContaining('malformed') } });
    expect(await tried({ yaml: ' \n', horizon: '1m' })).toMatchObject({
      problem: { message: expect.stringContaining('first') },
    });
    expect(await tried({ yaml: 'a', horizon: '1m' })).toEqual({ problem: { message: 'tried' } });
    answer = { type: 'busy' };
    expect(await tried({ yaml: 'a', horizon: '1m' })).toMatchObject({
      problem: { message: expect.stringContaining('still running') },
    });
    expect(Object.keys(actions).toSorted()).toEqual(['manifest', 'try']);
    expect(orders[0]).toEqual({ ...place, type: 'try', yaml: 'a', horizon: '1m' });
    expect(orders).toHaveLength(2);
  });
});

describe('the worker process', () => {
  it('tries a change, keeps values of Secrets back, and executes one order at a time', async () => {
    const cluster = await startEmbeddedCluster();
    using worker = new WorkerProcess();
    try {
      const secret =
        'apiVersion: v1\nkind: Secret\nmetadata: { name: key }\ndata: { password: "not base64 aHVudGVyMg" }\n';
      const first = worker.execute({ ...order, yaml: secret, kubeconfig: cluster.kubeconfig });
      expect(await worker.execute(order)).toEqual({ type: 'busy' });
      const answer = await first;
      expect(answer).toMatchObject({
        type: 'tried',
        trial: { changes: [{ object: 'Secret key', outcome: 'refused' }] },
      });
      expect(JSON.stringify(answer)).not.toContain('aHVudGVyMg');
      expect(await worker.execute(order)).toMatchObject({ type: 'failed', problem: { line: 1 } });
    } finally {
      await cluster.close();
    }
  });

  it('ends with all processes that the files of the project have started', async () => {
    const temporary = await mkdtemp(join(tmpdir(), 'dev-ui-'));
    onTestFinished(async () => rm(temporary, { recursive: true }));
    const [note, config] = [join(temporary, 'pid'), join(temporary, 'reconcile.config.mjs')];
    const started = `spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })`;
    await writeFile(
      config,
      `import { spawn } from 'node:child_process';\nimport { writeFileSync } from 'node:fs';\n` +
        `writeFileSync(${JSON.stringify(note)}, String(${started}.pid));\nexport default { kinds: [] };\n`,
    );
    using worker = new WorkerProcess();
    await worker.execute({ ...order, config, cwd: temporary });
    const pid = Number(await readFile(note, 'utf8'));
    expect(pid).toBeGreaterThan(0);
    await waitFor('its end', async () => !isAlive(pid));
  });

  it('ends an order that takes too long', async () => {
    const timers = {
      ...systemTimers,
      setTimer: (_: number, callback: () => void) => systemTimers.setTimer(0, callback),
    };
    using worker = new WorkerProcess(timers);
    expect(await worker.execute(order)).toMatchObject({
      problem: { message: expect.stringContaining('no result after 60 s') },
    });
    expect(await worker.execute(order)).toMatchObject({
      problem: { message: expect.stringContaining('no result after 60 s') },
    });
  });
});
