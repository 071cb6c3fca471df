import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import type { Ended } from '#lib/cli/child/child-end.ts';
import { ManifestFiles } from '#lib/cli/verbs/dev/cluster/manifest-files.ts';
import type { Saved } from '#lib/cli/verbs/dev/file-watch.ts';
import { RestartPolicy } from '#lib/cli/verbs/dev/operator/restart-policy.ts';
import type { DevOperator } from '#lib/cli/verbs/dev/operator/working-operator.ts';
import { DevOutput } from '#lib/cli/verbs/dev/output.ts';
import { projectOf } from '#lib/cli/verbs/dev/project.ts';
import { DevSession } from '#lib/cli/verbs/dev/session.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { manualTimers } from '../kube/manual-timers.ts';
import { recordingContext } from './run-cli.ts';
import { virtualCluster } from './virtual-cluster.ts';

const CONFIG = '/project/reconcile.config.ts';
const project = { namespaces: [], hasEffects: false, isEmbedded: true };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dev-session-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The kind of a project before and after a field was added to it. */
const noteWith = (spec: object) =>
  defineKind({
    group: 'web.acme.io',
    version: 'v1',
    kind: 'Note',
    spec: s.object(spec as Record<string, never>),
    status: s.object({}),
    owns: [],
    desired: () => ({ children: [], status: {}, state: ready('Done', '') }),
  });

const NOTE = { apiVersion: 'web.acme.io/v1', kind: 'Note', plural: 'notes', scope: 'Namespaced' } as const;
const resources = [{ name: 'notes', kind: 'Note', namespaced: true }];

/** An operator without a process. The test decides which kinds it loads, and how it ends. */
class FakeOperator implements DevOperator {
  readonly #ended = Promise.withResolvers<Ended>();
  readonly #started = Promise.withResolvers<void>();
  readonly ended = this.#ended.promise;
  readonly started = this.#started.promise;
  readonly files = { [CONFIG]: 'hash' };
  readonly load: DevOperator['load'];
  isWorking = false;

  constructor(load: DevOperator['load']) {
    this.load = load;
  }

  run(): void {
    this.isWorking = true;
    this.#started.resolve();
  }

  end(ended: Ended): void {
    this.isWorking = false;
    this.#ended.resolve(ended);
  }

  async stop(): Promise<void> {
    this.end({ by: 'exit', code: 0 });
  }

  kill(): void {
    this.end({ by: 'signal', signal: 'SIGKILL' });
  }
}

/** A watch whose saved files the test reports. */
const manualWatch = () => {
  let saved: Saved | undefined;
  let waiting = Promise.withResolvers<void>();
  return {
    save: (...files: readonly string[]): void => {
      saved = { files, at: 0 };
      waiting.resolve();
    },
    watch: () => undefined,
    untilSaved: () => waiting.promise,
    take: (): Saved | undefined => {
      const taken = saved;
      saved = undefined;
      waiting = Promise.withResolvers();
      return taken;
    },
    close: () => undefined,
  };
};

/** A session over a cluster in memory. `load` replaces the method of each of its operators. */
const sessionOf = async (load: DevOperator['load'], files: readonly string[] = []) => {
  const answers = { '/apis/web.acme.io/v1': { code: 200, body: { resources }, date: undefined } };
  const { cluster } = await virtualCluster(() => undefined, { isStill: true, kinds: [immortalContainer], answers });
  const abort = new AbortController();
  const { context, written } = recordingContext({ signal: abort.signal, cwd: folder });
  const output = new DevOutput(context);
  const operators: FakeOperator[] = [];
  const timers = manualTimers();
  const watch = manualWatch();
  const dev = {
    cluster,
    kubeconfig: undefined,
    isOurs: true,
    operatorKubeconfig: async () => 'kubeconfig',
    [Symbol.asyncDispose]: async () => undefined,
  };
  const session = new DevSession(context, {
    config: CONFIG,
    dev,
    installation: { grant: async () => undefined },
    manifests: new ManifestFiles(context, { files, dev, output }),
    project,
    output,
    mayBeBeside: true,
    operator: undefined,
    start: () => {
      const operator = new FakeOperator(load);
      operators.push(operator);
      return operator;
    },
    watch,
    restarts: new RestartPolicy(timers),
  });
  const running = session.run();
  const early = running.then(() => {
    throw new TypeError(`The session ended:\n${written().stderr}`);
  });
  early.catch(() => undefined);
  return {
    cluster,
    operators,
    timers,
    watch,
    said: () => written().stderr,
    untilSaid: (words: RegExp) =>
      Promise.race([early, waitFor(`${words} in ${written().stderr}`, async () => words.test(written().stderr))]),
    [Symbol.asyncDispose]: async () => {
      abort.abort();
      await running;
    },
  };
};

describe('DevSession', () => {
  it('run() makes definitions what they are to be before it applies manifests that were saved with them', async () => {
    const file = join(folder, 'note.yaml');
    const manifest = 'apiVersion: web.acme.io/v1\nkind: Note\nmetadata: { name: a }\nspec: { text: one }\n';
    await writeFile(file, manifest);
    let kind = noteWith({ text: s.string({ maxLength: 64 }) });
    const load = async () => ({ type: 'loaded', project: projectOf([kind], project) }) as const;
    await using session = await sessionOf(load, [file]);
    await session.untilSaid(/Note\/a of note\.yaml is applied[^]*The operator of Note works/);
    kind = noteWith({ text: s.string({ maxLength: 64 }), color: s.string({ maxLength: 64 }) });
    await writeFile(file, manifest.replace('one', 'two, color: red'));
    session.watch.save(CONFIG, file);
    await session.untilSaid(/Restarted/);
    const { spec } = await session.cluster.api.get(NOTE, { namespace: 'default', name: 'a' });
    expect(spec).toEqual({ text: 'two', color: 'red' });
    expect(session.said()).not.toContain('Cannot');
  });

  it('run() applies a manifest again that needed a definition which came later', async () => {
    const file = join(folder, 'note.yaml');
    await writeFile(
      file,
      'apiVersion: web.acme.io/v1\nkind: Note\nmetadata: { name: a }\nspec: { text: one, color: red }\n',
    );
    let kind = noteWith({ text: s.string({ maxLength: 64 }) });
    const load = async () => ({ type: 'loaded', project: projectOf([kind], project) }) as const;
    await using session = await sessionOf(load, [file]);
    await session.untilSaid(/color: field not declared in schema[^]*The operator of Note works/);
    kind = noteWith({ text: s.string({ maxLength: 64 }), color: s.string({ maxLength: 64 }) });
    session.watch.save(CONFIG);
    await session.untilSaid(/Note\/a of note\.yaml is applied[^]*Restarted/);
    const { spec } = await session.cluster.api.get(NOTE, { namespace: 'default', name: 'a' });
    expect(spec).toMatchObject({ color: 'red' });
  });

  it('run() names the way out when a save changes what a definition cannot change', async () => {
    let kind: ReturnType<typeof noteWith> = noteWith({});
    const load = async () => ({ type: 'loaded', project: projectOf([kind], project) }) as const;
    await using session = await sessionOf(load);
    await session.untilSaid(/The operator of Note works/);
    kind = { ...kind, scope: 'Cluster' };
    session.watch.save(CONFIG);
    await session.untilSaid(
      /spec\.scope[^]*field is immutable[^]*end dev and start it again[^]*kubectl delete crd notes\.web\.acme\.io/,
    );
    expect(session.said()).toContain('The old operator continues');
  });

  it('run() keeps the old operator when the kinds of a save cannot be loaded', async () => {
    let loaded: Awaited<ReturnType<DevOperator['load']>> = {
      type: 'loaded',
      project: projectOf([noteWith({})], project),
    };
    await using session = await sessionOf(async () => loaded);
    await session.untilSaid(/The operator of Note works/);
    loaded = { type: 'failed', message: 'reconcile.config.ts:3: Unexpected token' };
    session.watch.save(CONFIG);
    await session.untilSaid(/reconcile\.config\.ts:3: Unexpected token\n[^]*The old operator continues/);
    expect(session.operators.filter(({ isWorking }) => isWorking)).toEqual([session.operators[0]]);
    expect(session.said()).not.toContain('Cannot');
  });

  it('run() tries again after a while when no process could be started, and when one ended by itself', async () => {
    const ended: Ended = { by: 'failure', error: new Error('spawn EAGAIN') };
    const loaded = { type: 'loaded', project: projectOf([noteWith({})], project) } as const;
    let hasRoom = false;
    await using session = await sessionOf(async () => (hasRoom ? loaded : { type: 'unstarted', ended }));
    await session.untilSaid(/could not be started \(spawn EAGAIN\).* another one starts in 0\.50 s/);
    hasRoom = true;
    session.operators[0]?.end(ended);
    await session.timers.advance(500);
    await session.untilSaid(/The operator of Note works/);
    session.operators.find(({ isWorking }) => isWorking)?.end({ by: 'exit', code: 1 });
    await session.untilSaid(/The operator ended with code 1.* another one starts in 1\.00 s/);
    await session.timers.advance(1000);
    await session.untilSaid(/Restarted/);
    expect(session.operators.filter(({ isWorking }) => isWorking)).toHaveLength(1);
  });

  it('run() takes no operator that ended while it waited', async () => {
    const loaded = { type: 'loaded', project: projectOf([noteWith({})], project) } as const;
    await using session = await sessionOf(async () => loaded);
    await session.untilSaid(/The operator of Note works/);
    await expect.poll(() => session.operators.length).toBe(2);
    session.operators[1]?.kill();
    session.watch.save(CONFIG);
    await session.untilSaid(/Restarted/);
    expect(session.operators.map(({ isWorking }) => isWorking)).toEqual([false, false, true, false]);
  });
});
