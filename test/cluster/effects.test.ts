import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, Chart } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Operator } from '#constructs/operator/operator.ts';
import { run } from '#lib/runtime.ts';
import { grantedBy, type RightsManifest, usedIn } from '#test/contract/rights/rights.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { certificate, type HttpServer, startHttpServer } from '#test/unit/kube/http-server.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { caller } from './caller-kind.ts';
import { applyObjects } from './own-operator.ts';

const TOKEN = 'Bearer s3cr3t-t0ken';
const SECRET_PATH = '/s3cr3t-path';

interface Arrived {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  isAborted: boolean;
}

const arrived: Arrived[] = [];
const logged: string[] = [];
let plane: ControlPlane;
let server: Server;
let host: string;
let tls: HttpServer;

const answers: Readonly<
  Record<string, { readonly status: number; readonly body: string; readonly location?: string }>
> = {
  '/big': { status: 200, body: 'x'.repeat(1_000_000) },
  '/redirect': { status: 302, body: '', location: 'http://localhost:1/elsewhere' },
  '/busy': { status: 503, body: 'busy' },
};

/** Starts an HTTP server outside of the cluster; `/slow` never answers. */
const startServer = async (): Promise<void> => {
  server = createServer((request, response) => {
    const item: Arrived = { path: request.url ?? '', headers: request.headers, isAborted: false };
    arrived.push(item);
    response.on('close', () => (item.isAborted = !response.writableFinished));
    const { status, body, location } = answers[item.path] ?? { status: 200, body: 'ok' };
    if (item.path !== '/slow') response.writeHead(status, location === undefined ? {} : { location }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  tls = await startHttpServer((_, response) => response.end('trusted'), { tls: true });
};

const NAME = 'caller';

/** Starts an operator in this process, under its own rights. @returns a function that stops it */
const startOperator = async (): Promise<() => Promise<void>> => {
  const { log, lines } = capturedLog();
  const ending = new AbortController();
  const env = {
    KUBECONFIG: await plane.serviceAccountKubeconfig(NAME, NAME),
    HEALTH_PORT: '0',
    METRICS_PORT: '0',
    EFFECT_HOSTS: `${host},${new URL(tls.url).host},*.example.com`,
  };
  const running = run({ kinds: [caller], env, log, signal: ending.signal, leaderElection: false });
  return async () => {
    ending.abort();
    await running;
    logged.push(...lines);
  };
};

let stop: () => Promise<void>;
let bundle: RightsManifest[];

const apply = async (namespace: string, object: object): Promise<void> => {
  const { code, stderr } = await plane.kubectl(['-n', namespace, 'apply', '-f', '-'], {
    input: JSON.stringify(object),
  });
  expect(`${code} ${stderr}`).toBe('0 ');
};

beforeAll(async () => {
  await startServer();
  plane = await startControlPlane({ scheduler: false, kwok: false });
  const chart = new Chart(new App(), 'chart');
  // oxlint-disable-next-line no-new -- a construct belongs to its chart
  new Operator(chart, 'operator', {
    kinds: [caller],
    image: 'caller:1',
    name: NAME,
    effects: { allowedHosts: [host] },
  });
  bundle = chart.toJson() as RightsManifest[];
  await applyObjects(plane, ...bundle);
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  stop = await startOperator();
});

afterAll(async () => {
  await stop?.();
  server?.close();
  await tls?.close();
  server?.closeAllConnections();
  await plane?.stop();
});

const http = (key: string, path: string, request: object = {}): object => ({
  effect: 'http',
  key,
  request: { method: 'GET', url: `http://${host}${path}`, ...request },
  timeoutSeconds: 20,
  retries: 0,
});

const call = async (namespace: string, effects: readonly object[]): Promise<void> =>
  apply(namespace, {
    apiVersion: 'demo.example.com/v1',
    kind: 'Caller',
    metadata: { name: 'caller' },
    spec: { effects: JSON.stringify(effects) },
  });

interface Body {
  readonly metadata: { readonly uid: string };
  /** The CRD has a default for `status`, so a status exists before the operator handles the resource. */
  readonly status?: { readonly outcomes?: Readonly<Record<string, string>> };
}

const read = async (namespace: string): Promise<Body> =>
  (await plane.request<Body>('GET', `/apis/demo.example.com/v1/namespaces/${namespace}/callers/caller`)).body;

/** Waits until the status has these outcomes. */
const comesTo = async (namespace: string, outcomes: Readonly<Record<string, string>>): Promise<void> => {
  const isThere = async (): Promise<boolean> => {
    const { status } = await read(namespace);
    return Object.entries(outcomes).every(([key, words]) => (status?.outcomes?.[key] ?? '').includes(words));
  };
  await waitFor(`outcomes ${JSON.stringify(outcomes)}`, isThere).catch(() => undefined);
  const { status } = await read(namespace);
  expect(status?.outcomes).toEqual(
    Object.fromEntries(Object.entries(outcomes).map(([key, words]) => [key, expect.stringContaining(words) as string])),
  );
};

const secret = (name: string, rest: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, annotations: { 'cdk8s-reconcile/allowed-hosts': host } },
  type: 'cdk8s-reconcile/http-credentials',
  stringData: { authorization: TOKEN, hook: `http://${host}${SECRET_PATH}` },
  ...rest,
});

const credentialsFrom = (secretName: string) => ({ credentials: { secretName } });

const podRun = (name: string, container: object) => ({
  effect: 'dryRun',
  key: name,
  object: { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [container] } },
});

const keysSent = (): unknown[] =>
  arrived.filter(({ path }) => path === '/again').map((it) => it.headers['idempotency-key']);

const onNamed = (rights: readonly string[]) => rights.filter((right) => / (configmaps|secrets)\. /.test(right));

describe('effects on a real control plane', () => {
  it('HTTP effects reach allowed hosts alone, with an idempotency key, and are cut at 64 KiB', async () => {
    const namespace = await plane.createNamespace('effects');
    const elsewhere = { url: 'http://localhost:9/x' };
    await call(namespace, [
      http('ok', '/ok'),
      http('big', '/big'),
      http('moved', '/redirect'),
      http('busy', '/busy'),
      http('elsewhere', '/', elsewhere),
      http('api', '/', { url: 'https://kubernetes.default.svc/' }),
    ]);
    await comesTo(namespace, {
      ok: '200 2',
      big: '200 65536',
      moved: '302 0',
      busy: 'failed Answered503',
      elsewhere: 'failed HostNotAllowed',
      api: 'failed HostNotAllowed',
    });
    const { uid } = (await read(namespace)).metadata;
    expect(arrived.find(({ headers }) => headers['idempotency-key'] === `${uid}/ok`)?.path).toBe('/ok');
  });

  it('credentials and URLs come only from Secrets of the right type and host, and appear nowhere else', async () => {
    const namespace = await plane.createNamespace('effects');
    await apply(namespace, secret('right'));
    await apply(namespace, secret('opaque', { type: 'Opaque' }));
    await apply(namespace, secret('narrow', { metadata: { name: 'narrow', annotations: {} } }));
    await call(namespace, [
      http('right', '/with-credentials', credentialsFrom('right')),
      http('hook', '/', { url: { secretName: 'right', key: 'hook' } }),
      http('opaque', '/wrong', credentialsFrom('opaque')),
      http('narrow', '/wrong', credentialsFrom('narrow')),
      http('missing', '/wrong', credentialsFrom('nobody')),
    ]);
    await comesTo(namespace, {
      right: '200 2',
      hook: '200 2',
      opaque: 'failed SecretUnusable',
      narrow: 'failed HostNotAllowed',
      missing: 'failed SecretUnusable',
    });
    expect(arrived.find(({ path }) => path === '/with-credentials')?.headers.authorization).toBe(TOKEN);
    expect(arrived.some(({ path }) => path === SECRET_PATH)).toBe(true);
    expect(arrived.some(({ path }) => path === '/wrong')).toBe(false);
  });

  it('certificates of a ConfigMap or a Secret of the namespace vouch for a server', async () => {
    const namespace = await plane.createNamespace('effects');
    const from = (certificateAuthority: object) => ({ url: tls.url, certificateAuthority });
    await apply(namespace, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'ca' },
      data: { pem: certificate },
    });
    await apply(namespace, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'ca' },
      stringData: { 'ca.crt': certificate },
    });
    await call(namespace, [
      http('configmap', '/', from({ configMapName: 'ca', key: 'pem' })),
      http('secret', '/', from({ secretName: 'ca', key: 'ca.crt' })),
      http('none', '/', { url: tls.url }),
      http('cluster', '/', from({ configMapName: 'kube-root-ca.crt', key: 'ca.crt' })),
      http('gone', '/', from({ configMapName: 'gone', key: 'pem' })),
    ]);
    await comesTo(namespace, {
      configmap: '200 7',
      secret: '200 7',
      none: 'failed UntrustedCertificate',
      cluster: 'failed UntrustedCertificate',
      gone: 'failed CertificateAuthorityUnusable',
    });
    expect(tls.received).toHaveLength(2);
  });

  it('what is not asked for any more is cancelled', async () => {
    const namespace = await plane.createNamespace('effects');
    await call(namespace, [http('slow', '/slow')]);
    await waitFor('the request', () => Promise.resolve(arrived.some(({ path }) => path === '/slow')));
    await call(namespace, []);
    const slow = arrived.find(({ path }) => path === '/slow');
    await waitFor('its end', () => Promise.resolve(slow?.isAborted ?? false));
    expect(slow?.isAborted).toBe(true);
  });

  it('dry runs show what the API server would accept, and store nothing', async () => {
    const namespace = await plane.createNamespace('effects');
    await apply(namespace, { ...podRun('taken', { name: 'a', image: 'a' }).object });
    await call(namespace, [
      podRun('good', { name: 'a', image: 'a' }),
      podRun('bad', { name: 'No Name', image: 'a' }),
      podRun('taken', { name: 'a', image: 'a' }),
    ]);
    await comesTo(namespace, { good: 'true', bad: 'spec.containers[0].name', taken: 'true' });
    const { body } = await plane.request<{ items: { metadata: { name: string } }[] }>(
      'GET',
      `/api/v1/namespaces/${namespace}/pods`,
    );
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['taken']);
  });

  it('an operator that was restarted sends under the same key, and no log, status or event holds a secret', async () => {
    const namespace = await plane.createNamespace('effects');
    await call(namespace, [http('again', '/again'), http('elsewhere', '/', { url: 'http://localhost:9/x' })]);
    await comesTo(namespace, { again: '200 2', elsewhere: 'failed HostNotAllowed' });
    const paths = ['/apis/demo.example.com/v1/callers', '/apis/events.k8s.io/v1/events'];
    const bodies = await Promise.all(paths.map(async (path) => plane.request('GET', path)));
    const stored = JSON.stringify(bodies);
    await stop();
    stop = await startOperator();
    await waitFor('the second request', () => Promise.resolve(keysSent().length === 2));
    expect(new Set(keysSent()).size).toBe(1);
    expect(stored).toContain('HostNotAllowed');
    expect(logged.length).toBeGreaterThan(0);
    expect(`${stored}\n${logged.join('\n')}`).not.toMatch(/s3cr3t/);
  });

  it('an operator reads Secrets one at a time, and needs no right that its bundle does not grant', async () => {
    const entries = await plane.auditEntries({ user: `system:serviceaccount:${NAME}:${NAME}` });
    expect(entries.filter(({ code }) => code === 403)).toEqual([]);
    const rights = ['get configmaps. * in *', 'get secrets. * in *'];
    expect(onNamed(usedIn(entries, () => ({})))).toEqual(rights);
    expect(onNamed(grantedBy(bundle))).toEqual(rights);
  });
});
