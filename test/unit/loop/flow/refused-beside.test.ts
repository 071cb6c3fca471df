import { describe, expect, it } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ApiError } from '#lib/errors.ts';
import { ConfigMap, type KubeObject, Pod, Service } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { started } from '#test/unit/support/controller-bench.ts';
import { FakeApi, type FakeRequest } from '#test/unit/support/fake-api.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { randomOf } from '#test/unit/support/refused-crowd.ts';
import { internalError } from '#test/unit/support/server-answers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const MINUTE_MS = 60_000;

const answer = (httpStatus: number, reason: string, message: string): ApiError =>
  new ApiError('apply', { httpStatus, reason, message });

const denied = answer(
  403,
  'Forbidden',
  "services is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no",
);
const invalid = answer(422, 'Invalid', 'ConfigMap is invalid');

/** A Service and some ConfigMaps, all named after the resource; the ConfigMaps come first. */
const stand = (maps: number): AnyKindDefinition =>
  defineKind({
    group: 'demo.example.com',
    version: 'v1',
    kind: 'Stand',
    spec: s.object({ size: s.int32() }),
    status: s.object({ size: s.int32() }),
    owns: [ConfigMap, Service],
    desired: ({ resource }) => {
      const { name } = resource.metadata;
      const { size } = resource.spec;
      const numbers = Array.from({ length: maps }, (_, index) => index);
      const configMaps = numbers.map((index): KubeObject & { readonly data: object } => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `${name}-${index}` },
        data: { size: String(size) },
      }));
      const service = { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }] } };
      return {
        children: [...configMaps, service].map((object) => apply(object)),
        status: { size },
        state: ready('Complete', 'all declared'),
      };
    },
  });

/** Watches deliver each second, long after the answers to writes. */
const liveSlowly = async (bench: LoopBench, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 1000) {
    await bench.timers.advance(1000);
    bench.catchUp();
  }
};

const isApply = ({ verb, resource }: FakeRequest, of: string): boolean => verb === 'apply' && resource === of;

describe('what fails beside a write that is refused', () => {
  it('reconcile() tries a failed write again within seconds when another child has been refused for hours', async () => {
    const bench = new LoopBench(stand(1));
    let isBusy = false;
    bench.api.refuse = (request) => {
      if (isApply(request, 'services')) return denied;
      if (!isBusy || !isApply(request, 'configmaps')) return undefined;
      isBusy = false;
      return internalError('no leader');
    };
    bench.declare('a', { size: 1 });
    const controller = started(bench);
    await liveSlowly(bench, 120 * MINUTE_MS);
    isBusy = true;
    bench.edit('a', { size: 2 });
    await liveSlowly(bench, 4000);
    await controller.stop();
    expect(bench.api.one(ConfigMap, 'a-0')['data']).toEqual({ size: '2' });
  });

  it('reconcile() creates children of one kind when those of another kind are refused', async () => {
    const bench = new LoopBench(stand(4));
    bench.api.refuse = (request) =>
      isApply(request, 'configmaps') && request.name.startsWith('bad') ? invalid : undefined;
    const controller = started(bench);
    // The first resource shows that the namespace accepts ConfigMaps.
    bench.declare('good', { size: 1 });
    await liveSlowly(bench, 3000);
    bench.declare('bad', { size: 1 });
    await liveSlowly(bench, 3000);
    await controller.stop();
    expect(bench.api.all(Service).map(({ metadata }) => metadata.name)).toEqual(['bad', 'good']);
  });

  it('startManager() gives every refused resource its turn when two kinds of different groups have the same name', async () => {
    const kinds = [shelf, defineKind({ ...shelf, group: 'other.example.com' })];
    const timers = new ManualTimers();
    const api = new FakeApi(timers, kinds);
    const names = Array.from({ length: 10 }, (_, index) => `s${index}`);
    for (const kind of kinds) {
      const { apiVersion } = refOf(kind);
      for (const name of names)
        api.put(refOf(kind), {
          apiVersion,
          kind: 'Shelf',
          metadata: { name, namespace: 'default' },
          spec: { books: [`${kind.group.split('.')[0]}-${name}`] },
        });
    }
    api.refuse = ({ verb }) => (verb === 'create' ? denied : undefined);
    const log = createLogger('silent');
    const manager = startManager({ kinds, api: api.client, timers, random: randomOf(3), log });
    await timers.advance(2 * MINUTE_MS);
    api.refuse = () => undefined;
    await timers.advance(6 * MINUTE_MS);
    await manager.stop();
    expect(api.all(Pod)).toHaveLength(20);
  });
});
