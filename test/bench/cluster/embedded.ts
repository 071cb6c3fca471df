import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { guardChild } from '#test/control-plane/guard.ts';
import { type BareClient, type BareRequest, connectBare, inFlight } from '../floor/bare-client.ts';
import { type MeasureInput, mean, type Row, rounded } from '../report/measure.ts';

const LISTS = 64;
const WARM_UP = 100;
const PATH = '/api/v1/namespaces/default/configmaps';

/** A server, and the administrator's credentials for it. */
interface Served {
  readonly bare: BareClient;
  readonly token: string;
}

interface Embedded extends Served, AsyncDisposable {}

const startEmbedded = async (): Promise<Embedded> => {
  const script = fileURLToPath(new URL('serve-embedded.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  guardChild(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url, ca, adminToken } = JSON.parse(line) as Record<'url' | 'ca' | 'adminToken', string>;
  const bare = connectBare({ url, ca });
  return {
    bare,
    token: adminToken,
    [Symbol.asyncDispose]: async () => {
      const exit = once(child, 'exit');
      await bare[Symbol.asyncDispose]();
      child.stdin.end();
      await exit;
    },
  };
};

/** The requests, in this order: each one prepares the next. */
const VERBS = ['create', 'get', 'patch', 'list', 'delete'] as const;

type Verb = (typeof VERBS)[number];

const configMap = (name: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: { answer: '42', text: 'x'.repeat(500) },
  });

const requestOf = (verb: Verb, name: string): Omit<BareRequest, 'token'> => {
  const path = `${PATH}/${name}`;
  switch (verb) {
    case 'create':
      return { method: 'POST', path: `${PATH}?fieldManager=bench`, body: configMap(name) };
    case 'get':
      return { method: 'GET', path };
    case 'patch': {
      const contentType = 'application/merge-patch+json';
      return { method: 'PATCH', path: `${path}?fieldManager=bench`, contentType, body: '{"data":{"answer":"43"}}' };
    }
    case 'list':
      return { method: 'GET', path: `${PATH}?limit=500` };
    case 'delete':
      return { method: 'DELETE', path };
  }
};

const namesOf = (verb: Verb, count: number): readonly string[] =>
  Array.from({ length: verb === 'list' ? LISTS : count }, (_, index) => `bench-${index}`);

/** Requests per second of every verb. */
const ratesOf = async ({ bare, token }: Served, count: number): Promise<Readonly<Record<Verb, number>>> => {
  const rates: Record<Verb, number> = { create: 0, get: 0, patch: 0, list: 0, delete: 0 };
  for (const verb of VERBS) {
    const names = namesOf(verb, count);
    const begin = performance.now();
    await inFlight(names, (name) => bare.send({ ...requestOf(verb, name), token }));
    rates[verb] = names.length / ((performance.now() - begin) / 1000);
  }
  return rates;
};

/**
 * Measures the requests per second of an embedded cluster and of kube-apiserver in the same run: embedded, real, real,
 * embedded.
 */
export const measureEmbedded = async ({ options, ground, progress }: MeasureInput): Promise<readonly Row[]> => {
  progress('E: embedded cluster');
  await using embedded = await startEmbedded();
  const real = { bare: ground.bare, token: ground.adminToken };
  for (const server of [embedded, real]) await ratesOf(server, WARM_UP);
  const runs: Readonly<Record<Verb, number>>[] = [];
  for (const server of [embedded, real, real, embedded]) runs.push(await ratesOf(server, options.podSets));
  const [first, second, third, fourth] = runs;
  return VERBS.map((verb) => {
    const perSecond = mean([first?.[verb] ?? 0, fourth?.[verb] ?? 0]);
    const realPerSecond = mean([second?.[verb] ?? 0, third?.[verb] ?? 0]);
    const ratio = perSecond / realPerSecond;
    const what = verb === 'list' ? `list up to 500 of ${options.podSets} ConfigMaps` : `${verb} a ConfigMap`;
    return {
      id: 'E',
      measure: `embedded cluster: ${what}, 16 in flight ÷ kube-apiserver`,
      goal: 'none',
      result: `${rounded(ratio)} (${rounded(perSecond)}/s; kube-apiserver ${rounded(realPerSecond)}/s)`,
      verdict: 'note',
      headline: ratio,
      figures: { verb, runs: runs.map((rates) => rates[verb]) },
    };
  });
};
