import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { renewed } from '#lib/conversion/certificate/renewal.ts';
import type { ConversionServer } from '#lib/conversion/webhook/server.ts';
import { ApiError } from '#lib/errors.ts';
import type { ApiObject, ApiResource, ApiTarget, KubeApi } from '#lib/kube/interface/api.ts';
import { startConversion } from '#lib/runtime/conversion/start.ts';
import { greeting } from '#test/examples/greeting.ts';
import { capturedLog } from '../support/captured-log.ts';
import { ManualTimers } from '../support/manual-timers.ts';

const service = { name: 'op-conversion', namespace: 'op' };
const CRD = 'greetings.demo.example.com';

const crdOf = (named: object, resourceVersion: string): ApiObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: CRD, uid: 'u', resourceVersion },
  spec: { conversion: { webhook: { clientConfig: { service: named } } } },
});

const failure = (httpStatus: number, name = ''): ApiError =>
  new ApiError('ask', { httpStatus, reason: 'Reason', message: '', subject: { name } });

/** A cluster with one CRD and one Secret. */
class Cluster {
  crd: ApiObject;
  bundles: unknown[] = [];
  /** Runs before a CRD is patched. */
  before: () => void = () => undefined;
  #secret: ApiObject | undefined;

  constructor(crd: ApiObject) {
    this.crd = crd;
  }

  get client(): KubeApi {
    const { get, apply, patch } = this;
    return { get, apply, patch } as unknown as KubeApi;
  }

  private readonly get = async ({ plural }: ApiResource, { name }: ApiTarget): Promise<ApiObject> => {
    const found = plural === 'secrets' ? this.#secret : this.crd;
    if (!found) throw failure(404, name);
    return await Promise.resolve(found);
  };

  private readonly apply = async (_: ApiResource, __: ApiTarget, object: ApiObject): Promise<ApiObject> => {
    this.#secret = object;
    return await Promise.resolve(object);
  };

  private readonly patch = async (_: ApiResource, __: ApiTarget, patch: ApiObject): Promise<ApiObject> => {
    this.before();
    if (patch.metadata.resourceVersion !== this.crd.metadata.resourceVersion) throw failure(409);
    this.bundles.push(patch['spec']);
    return await Promise.resolve(this.crd);
  };
}

let server: ConversionServer | undefined;
let timers: ManualTimers;

/** Time for which the port stays open after the end was requested. */
const LINGER_MS = 2000;

afterEach(async () => {
  const closed = server?.close();
  await timers.advance(LINGER_MS);
  await closed;
});

const started = async (cluster: Cluster, certificateDir?: string) => {
  const clock = new ManualTimers();
  const { log, lines } = capturedLog();
  const settings = { port: 0, service, certificateDir };
  server = await startConversion({
    kinds: [greeting],
    settings,
    api: cluster.client,
    log,
    entry: undefined,
    timers: clock,
  });
  timers = clock;
  return { clock, lines };
};

describe('startConversion()', () => {
  it('says once that the CRD names another Service, looks again after 5 s, and is trusted when it names ours', async () => {
    const cluster = new Cluster(crdOf({ name: 'old-conversion', namespace: 'op' }, '1'));
    const { clock, lines } = await started(cluster);
    await clock.advance(20_000);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      crd: CRD,
      found: 'op/old-conversion',
      expected: 'op/op-conversion',
      fix: expect.stringContaining('apply the CRD of this release') as string,
    });
    cluster.crd = crdOf({}, '2');
    await clock.advance(5000);
    expect(lines[1]).toContain('"found":"none"');
    expect(cluster.bundles).toEqual([]);
    cluster.crd = crdOf(service, '3');
    await clock.advance(5000);
    expect(cluster.bundles).toHaveLength(1);
    expect([lines.length, clock.pending]).toEqual([2, [600_000]]);
  });

  it('writes nothing into a CRD that changes meanwhile, and tries again', async () => {
    const cluster = new Cluster(crdOf(service, '1'));
    cluster.before = () => {
      cluster.crd = crdOf({ name: 'another', namespace: 'op' }, '2');
    };
    const { clock } = await started(cluster);
    expect([cluster.bundles, clock.pending]).toEqual([[], [5000]]);
  });

  it('keeps its port open for 2 s after close() was called, because API servers still send requests', async () => {
    const { clock } = await started(new Cluster(crdOf(service, '1')));
    const port = server?.port ?? 0;
    const closed = server?.close();
    const isOpen = async (): Promise<boolean> => {
      const socket = connect(port, '127.0.0.1');
      return once(socket, 'connect').then(
        () => socket.destroy() !== undefined,
        () => false,
      );
    };
    await clock.advance(LINGER_MS - 1);
    expect(await isOpen()).toBe(true);
    await clock.advance(1);
    await closed;
    server = undefined;
    expect(await isOpen()).toBe(false);
  });

  it('reads a mounted certificate every 30 s', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'certificate-'));
    const made = renewed({}, { now: new Date(), hosts: ['a.b.svc'] });
    await Promise.all((['tls.crt', 'tls.key'] as const).map(async (name) => writeFile(join(dir, name), made[name])));
    const { clock } = await started(new Cluster(crdOf(service, '1')), dir);
    expect(clock.pending).toEqual([30_000]);
    await rm(dir, { recursive: true });
  });
});
