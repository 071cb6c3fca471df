import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { Cluster } from '#lib/cli/shell/context.ts';
import { pageActions } from '#lib/cli/verbs/dev/ui/page-actions.ts';
import type { WorkerAnswer, WorkerOrder } from '#lib/cli/verbs/dev/ui/worker/orders.ts';
import { requestText } from '#lib/cli/verbs/dev/ui/writes/apply-writes.ts';
import { PageWrites } from '#lib/cli/verbs/dev/ui/writes/page-writes.ts';
import { ApiError } from '#lib/errors.ts';
import type { PageAnswer, PreparedWrite } from '#lib/foresight/page/live/trial.ts';
import { refOf } from '#lib/kind/names.ts';
import { podSetManifest } from '#test/unit/foresight/simulate/stories.ts';
import { type VirtualCluster, virtualCluster } from './virtual-cluster.ts';

const place = { config: 'reconcile.config.ts', cwd: '/' };
const WEB = { namespace: 'default', name: 'web' };
const resource = refOf(podSet);
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const manifest = (replicas: number, name = 'web'): string =>
  `apiVersion: app.example.com/v1alpha1\nkind: PodSet\nmetadata: { name: ${name} }\nspec: { replicas: ${replicas} }\n`;

/** Answers of the API server to discovery. */
const served = (name: string, kind: string) => ({ resources: [{ name, kind, namespaced: true }] });
const answers = {
  '/apis/app.example.com/v1alpha1': { code: 200, body: served('podsets', 'PodSet'), date: undefined },
  '/api/v1': { code: 200, body: served('secrets', 'Secret'), date: undefined },
};

let virtual: VirtualCluster;
let orders: WorkerOrder[];
let elapsedMs: number;
let answerOf: (order: WorkerOrder) => WorkerAnswer;

const writesOn = (cluster: Cluster = virtual.cluster): PageWrites =>
  new PageWrites({
    dev: { cluster },
    place,
    timers: { elapsed: () => elapsedMs },
    worker: {
      execute: async (order) => {
        orders.push(order);
        return answerOf(order);
      },
    },
  });

const prepared = async (writes: PageWrites, yaml: string): Promise<PreparedWrite> => {
  const answer = await writes.prepare({ apply: writes.remember(yaml) });
  if ('problem' in answer) throw new TypeError(answer.problem.message);
  return answer.write;
};

const problemIn = <T>(answer: PageAnswer<T>): string =>
  (answer as { readonly problem?: { readonly message: string } }).problem?.message ?? '';

const replicas = async (): Promise<unknown> =>
  ((await virtual.api.get(resource, WEB))['spec'] as { readonly replicas: number }).replicas;

const annotationsOf = async (name: string): Promise<Readonly<Record<string, string>>> =>
  Reflect.get((await virtual.api.get(resource, { ...WEB, name })).metadata, 'annotations') as Record<string, string>;

const touched = (patch: object): Promise<unknown> =>
  virtual.api.patch(resource, WEB, patch, { type: 'merge', fieldManager: 'other' });

const refuse = async (): Promise<never> => {
  throw new ApiError('Cannot create', { httpStatus: 422, serverMessage: 'Invalid value: "aHVudGVyMg=="' } as never);
};

const breakOff = async (): Promise<never> => {
  throw new TypeError('no network');
};

beforeEach(async () => {
  orders = [];
  elapsedMs = 0;
  answerOf = () => ({ type: 'failed', problem: { message: 'refused' } });
  virtual = await virtualCluster(
    (user) => {
      const metadata = { name: 'web', namespace: 'default' };
      user.create(resource, { ...podSetManifest(2), metadata });
    },
    { answers },
  );
});

describe('a write of the live page', () => {
  it('is shown first, then writes exactly this once, and records the manifest as kubectl apply does', async () => {
    const writes = writesOn();
    const { id, parts } = await prepared(writes, `${manifest(3)}---\n${manifest(1, 'new')}`);
    expect(parts).toEqual([
      {
        object: 'PodSet web',
        action: 'change',
        text: 'apiVersion: app.example.com/v1alpha1\nkind: PodSet\nspec:\n  replicas: 3\n',
      },
      { object: 'PodSet new', action: 'create', text: expect.stringContaining('replicas: 1\n') },
    ]);
    expect(await replicas()).toBe(2);
    expect(await writes.confirm(id)).toEqual({ done: ['PodSet web is changed', 'PodSet new is created'] });
    expect(await replicas()).toBe(3);
    expect(JSON.parse((await annotationsOf('web'))[LAST_APPLIED] ?? '')).toMatchObject({ spec: { replicas: 3 } });
    expect(problemIn(await writes.confirm(id))).toContain('no longer waiting');
    expect(problemIn(await writes.prepare({ apply: 'unknown' }))).toContain('too old');
  });

  it('keeps foreign annotations, and writes nothing for a manifest that is applied already', async () => {
    const writes = writesOn();
    const annotated = manifest(3).replace('{ name: web }', '{ name: web, annotations: { team: blue } }');
    await writes.confirm((await prepared(writes, annotated)).id);
    await touched({ metadata: { annotations: { other: 'kept' } } });
    expect((await prepared(writes, annotated)).parts).toEqual([]);
    const { id, parts } = await prepared(writes, manifest(3));
    expect(parts.map(({ text }) => parse(text).metadata)).toEqual([{ annotations: { team: null } }]);
    await writes.confirm(id);
    expect(await annotationsOf('web')).toEqual({ other: 'kept', [LAST_APPLIED]: expect.any(String) });
    const next = await prepared(writes, `${manifest(3)}---\n${manifest(1, 'new')}`);
    expect(next.parts.map(({ object }) => object)).toEqual(['PodSet new']);
    expect(await writes.confirm(next.id)).toEqual({ done: ['PodSet web is unchanged', 'PodSet new is created'] });
    const last = await prepared(writes, `${manifest(4)}---\n${manifest(1, 'new')}`);
    expect(last.parts.map(({ text }) => text)).toEqual([expect.not.stringContaining('metadata')]);
    expect(await writes.confirm(last.id)).toEqual({ done: ['PodSet web is changed', 'PodSet new is unchanged'] });
    const { other, [LAST_APPLIED]: text = '' } = await annotationsOf('web');
    expect([other, JSON.parse(text).spec]).toEqual(['kept', { replicas: 4 }]);
    expect(Object.keys(await annotationsOf('new'))).toEqual([LAST_APPLIED]);
  });

  it('is shown with long texts on one line', async () => {
    const words = 'one word and another '.repeat(10);
    const annotated = manifest(3).replace('{ name: web }', `{ name: web, annotations: { words: "${words}" } }`);
    const { parts } = await prepared(writesOn(), annotated);
    expect(parts.map(({ text }) => text)).toEqual([expect.stringContaining(`words: "${words}"\n`)]);
  });

  it('fails when the object has changed so that something else would be written', async () => {
    const writes = writesOn();
    const { id } = await prepared(writes, manifest(3));
    await touched({ spec: { replicas: 3 } });
    expect(problemIn(await writes.confirm(id))).toContain('PodSet web has changed meanwhile');
    const { uid } = (await virtual.api.get(resource, WEB)).metadata;
    const { id: again } = await prepared(writes, manifest(4));
    await virtual.api.delete(resource, WEB, { uid });
    expect(problemIn(await writes.confirm(again))).toContain('PodSet web has changed meanwhile');
  });

  it('fails for another object of the same name, also when the same would be written', async () => {
    const writes = writesOn();
    const { id } = await prepared(writes, manifest(3));
    const { uid } = (await virtual.api.get(resource, WEB)).metadata;
    await virtual.api.delete(resource, WEB, { uid });
    await virtual.rest();
    const body = { ...podSetManifest(2), metadata: { name: 'web', namespace: 'default' } };
    await virtual.api.create(resource, body, { fieldManager: 'other', namespace: 'default' });
    expect(problemIn(await writes.confirm(id))).toContain('PodSet web has changed meanwhile');
    expect(await replicas()).toBe(2);
  });

  it('waits ten minutes for consent', async () => {
    const writes = writesOn();
    const [early, late] = [await prepared(writes, manifest(3)), await prepared(writes, manifest(3))];
    elapsedMs = 600_000;
    expect(await writes.confirm(early.id)).toEqual({ done: ['PodSet web is changed'] });
    elapsedMs += 1;
    expect(problemIn(await writes.confirm(late.id))).toContain('no longer waiting');
  });

  it('is repeated when the object changes at the same moment and the write stays the same', async () => {
    let attempts = 0;
    const patch: Cluster['api']['patch'] = async (...args) => {
      attempts += 1;
      if (attempts < 3) await touched({ metadata: { labels: { attempt: String(attempts) } } });
      return virtual.api.patch(...args);
    };
    const cluster = { ...virtual.cluster, api: { ...virtual.api, patch } };
    const writes = writesOn(cluster);
    const { id } = await prepared(writes, manifest(5));
    expect(await writes.confirm(id)).toEqual({ done: ['PodSet web is changed'] });
    expect([attempts, await replicas()]).toEqual([3, 5]);
  });

  it('shows which value of a Secret is removed', () => {
    const body = { data: { old: null, password: 'aHVudGVyMg==' } };
    const text = requestText({ request: { body }, manifest: { apiVersion: 'v1', kind: 'Secret' } } as never);
    expect(text).toBe('apiVersion: v1\nkind: Secret\ndata:\n  old: null\n  password: (redacted)\n');
  });

  it('shows no value of a Secret, neither before the write nor in the message of a refusal', async () => {
    const writes = writesOn({ ...virtual.cluster, api: { ...virtual.api, create: refuse } });
    const yaml = 'apiVersion: v1\nkind: Secret\nmetadata: { name: key }\ndata: { password: aHVudGVyMg== }\n';
    const { id, parts } = await prepared(writes, yaml);
    expect(parts[0]?.text).toContain('password: (redacted)');
    const answer = await writes.confirm(id);
    expect(problemIn(answer)).toMatch(/^Secret key is refused with 422; messages about Secrets are not shown/);
    expect(JSON.stringify([parts, answer])).not.toContain('aHVudGVyMg');
  });

  it('says what was written before a failure', async () => {
    const writes = writesOn({ ...virtual.cluster, api: { ...virtual.api, create: breakOff } });
    const { id } = await prepared(writes, `${manifest(3)}---\n${manifest(1, 'new')}`);
    expect(problemIn(await writes.confirm(id))).toMatch(/^PodSet web is changed; then: .*no network/s);
  });

  it('stays prepared while the worker is busy', async () => {
    const writes = writesOn();
    const wish = { object: { kind: 'CanaryRollout', group: 'deploy.example.com', ...WEB }, command: 'pause' } as const;
    answerOf = () => ({ type: 'busy' });
    expect(await writes.prepare(wish)).toEqual({
      problem: { message: expect.stringContaining('Another trial or command is still running') },
    });
    answerOf = () => ({ type: 'prepared', edits: [{ path: ['spec'], value: 1 }], says: 'paused', uid: 'u1' });
    const { write } = (await writes.prepare(wish)) as { write: PreparedWrite };
    expect(orders.at(-1)).toMatchObject({ word: 'canaryrollout.deploy.example.com/web' });
    answerOf = () => ({ type: 'busy' });
    expect(await writes.confirm(write.id)).toEqual({
      problem: { message: expect.stringContaining('is still running'), mayConfirm: true },
    });
    answerOf = () => ({ type: 'steered', text: 'web paused' });
    expect(await writes.confirm(write.id)).toEqual({ done: ['web paused'] });
    expect(problemIn(await writes.confirm(write.id))).toContain('no longer waiting');
  });

  it('of a command to a rollout writes only the edits that were shown, with the same id', async () => {
    const edits = [{ path: ['spec', 'paused'], value: true }];
    answerOf = ({ type }) =>
      type === 'steer'
        ? { type: 'steered', text: 'web paused' }
        : { type: 'prepared', edits, says: 'paused', uid: 'u1' };
    const writes = writesOn();
    const { prepare, confirm } = pageActions({
      dev: virtual,
      place,
      worker: { execute: () => Promise.reject(new Error('not called')) },
      shown: () => [],
      writes,
    });
    const wish = { object: { kind: 'CanaryRollout', ...WEB }, command: 'pause' };
    const { write } = (await prepare!(wish)) as { write: PreparedWrite };
    expect(write).toMatchObject({ title: 'Pause: CanaryRollout web', parts: [{ text: 'spec:\n  paused: true\n' }] });
    expect(await confirm!({ id: write.id })).toEqual({ done: ['web paused'] });
    const [first, second] = orders;
    expect(first).toMatchObject({ type: 'prepare', verb: 'pause', word: 'canaryrollout/web', namespace: 'default' });
    expect(second).toEqual({ ...first, type: 'steer', expected: { edits, uid: 'u1' } });
    answerOf = () => ({ type: 'prepared', edits: [], says: 'is already paused', uid: 'u1' });
    expect(problemIn(await writes.prepare(wish as never))).toBe(
      'Nothing to write: CanaryRollout web is already paused',
    );
    for (const body of [null, {}, { ...wish, command: 'toString' }, { ...wish, object: { kind: 'X' } }])
      expect(problemIn((await prepare!(body)) as never)).toContain('malformed');
    expect(problemIn((await confirm!({ id: 1 })) as never)).toContain('malformed');
  });
});
