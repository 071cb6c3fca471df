import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';

/** The label of the service's pods. */
export const WEB = { app: 'web' } as const;

/** An image that answers each request, and one that fails every fifth request. */
export const GOOD = 'web:good';
export const BAD = 'web:bad';
const FAILS_EVERY = 5;

const LOOK_MS = 1000;
const VISIT_MS = 500;

/** Prometheus refuses metrics without this content type. */
const EXPOSED = { 'content-type': 'text/plain; version=0.0.4' };

interface WebPod {
  readonly status: { readonly podIP?: string };
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
}

interface Counts {
  readonly image: string;
  good: number;
  bad: number;
}

const exposed = ({ good, bad }: Counts): string =>
  [
    '# TYPE http_requests_total counter',
    `http_requests_total{code="200"} ${good}`,
    // Without errors there is no series of errors, as with client libraries.
    ...(bad === 0 ? [] : [`http_requests_total{code="500"} ${bad}`]),
    '',
  ].join('\n');

/** A service whose pods count their requests, with two requests per second. */
export interface Web extends AsyncDisposable {
  /** Port for all pods; the header Host selects one. */
  readonly port: number;
}

const serve = async (pods: ReadonlyMap<string, Counts>) => {
  const server = createServer(({ headers: { host = '' }, url }, response) => {
    const counts = pods.get(host.replace(/:\d+$/, ''));
    if (counts === undefined) return void response.writeHead(502).end();
    if (url === '/metrics') return void response.writeHead(200, EXPOSED).end(exposed(counts));
    const fails = counts.image === BAD && (counts.good + counts.bad) % FAILS_EVERY === 0;
    counts[fails ? 'bad' : 'good'] += 1;
    response.writeHead(fails ? 500 : 200).end('web');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

const visit = (port: number, host: string): void => {
  const visitor = request({ host: '127.0.0.1', port, path: '/', headers: { host } }, (answer) => answer.resume());
  visitor.on('error', () => undefined).end();
};

/** Starts the service for the pods with the label {@link WEB}, including later ones. */
export const startWeb = async (plane: ControlPlane): Promise<Web> => {
  const pods = new Map<string, Counts>();
  const look = async (): Promise<void> => {
    const { body } = await plane.request<{ readonly items: readonly WebPod[] }>(
      'GET',
      `/api/v1/pods?labelSelector=app%3D${WEB.app}`,
    );
    const found = new Map(
      body.items.map(({ status, spec }) => [status.podIP ?? '', spec.containers[0]?.image ?? ''] as const),
    );
    // An address may be reused by a pod of another version.
    for (const [ip, { image }] of pods) if (found.get(ip) !== image) pods.delete(ip);
    for (const [ip, image] of found) if (ip !== '' && !pods.has(ip)) pods.set(ip, { image, good: 0, bad: 0 });
  };
  const server = await serve(pods);
  const { port } = server.address() as AddressInfo;
  const timers = [
    setInterval(() => void look().catch(() => undefined), LOOK_MS),
    setInterval(() => pods.forEach((_, ip) => visit(port, ip)), VISIT_MS),
  ];
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      timers.forEach(clearInterval);
      server.closeAllConnections();
      server.close();
    },
  };
};
