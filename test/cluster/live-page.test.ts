import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StreamMessage } from '#lib/foresight/page/live/stream-message.ts';
import type { PreparedWrite, TrialAnswer } from '#lib/foresight/page/live/trial.ts';
import { unpackRun } from '#lib/foresight/page/packed-run.ts';
import type { ReportEvent, ReportObject } from '#lib/foresight/page/report-run.ts';
import { repository } from '#test/architecture/repository.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { type OperatorProcess, spawnCommand } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';

const main = join(repository, 'lib/cli/main.ts');
const folder = join(repository, 'test/site/live');
const manifest = (replicas: number): string =>
  `apiVersion: app.example.com/v1alpha1\nkind: PodSet\nmetadata: { name: web }\nspec: { replicas: ${replicas} }\n`;

let plane: ControlPlane;
let dev: OperatorProcess;
let namespace: string;
let base: string;
let headers: Record<string, string>;
const objects: ReportObject[] = [];
const events: ReportEvent[] = [];
const closing = new AbortController();

const post = async <T>(name: string, body: object): Promise<T> => {
  const options = { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${base}${name}`, {
    ...options,
    headers: { ...headers, 'content-type': 'application/json' },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
};

const take = (message: StreamMessage): void => {
  if (message.type !== 'run' && message.type !== 'more') return;
  if (message.type === 'run') for (const list of [objects, events]) list.length = 0;
  const run = unpackRun(message.run);
  objects.push(...run.objects);
  events.push(...run.events);
};

/** Reads the stream of the page until the end of the suite. */
const follow = async (): Promise<void> => {
  const { body } = await fetch(`${base}events`, { headers, signal: closing.signal });
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString('utf8');
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts)
      for (const line of part.split('\n'))
        if (line.startsWith('data: ')) take(JSON.parse(line.slice(6)) as StreamMessage);
  }
};

const pods = (): readonly ReportEvent[] =>
  events.filter(({ object = -1, effect }) => objects[object]?.kind === 'Pod' && effect === 'created');

beforeAll(async () => {
  plane = await startControlPlane();
  namespace = await plane.createNamespace('live');
  const options = ['--cluster', 'current', '--yes', '--ui', '--write', '-n', namespace, '-f', join(folder, 'web.yaml')];
  const project = ['--config', join(folder, 'reconcile.config.ts'), '--kubeconfig', plane.kubeconfig];
  dev = spawnCommand([process.execPath, main, 'dev', ...options, ...project], { PATH: process.env['PATH'] });
  await waitFor('the operator to work', async () => dev.errors().includes('The operator of '));
  const url = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(dev.errors())?.[0] ?? '';
  const opened = await fetch(url, { redirect: 'manual' });
  base = new URL(opened.headers.get('location') ?? '', url).href;
  headers = { cookie: opened.headers.get('set-cookie')?.split(';')[0] ?? '', origin: new URL(url).origin };
  follow().catch(() => undefined);
});

afterAll(async () => {
  closing.abort();
  await dev?.stop('SIGINT');
  await plane?.stop();
});

describe('the live page on a real cluster', () => {
  it('shows the objects, tries a change on a copy, applies it, and shows the actor of each change', async () => {
    await waitFor('two pods', async () => pods().length === 2);
    const { trial, apply = '' } = await post<TrialAnswer>('try', { yaml: manifest(3), horizon: '1m' });
    expect(trial.changes).toMatchObject([{ outcome: 'configured', fields: [['spec.replicas', '2', '3']] }]);
    expect(trial.writes.filter(({ action, reason }) => action === 'create' && reason === 'Missing')).toHaveLength(1);
    expect(pods()).toHaveLength(2);

    const { write } = await post<{ write: PreparedWrite }>('prepare', { apply });
    expect(write.parts).toMatchObject([{ object: `PodSet ${namespace}/web`, action: 'change' }]);
    const done = await post('confirm', { id: write.id });
    expect(done).toEqual({ done: [`PodSet ${namespace}/web is changed`] });
    await waitFor('the third pod', async () => pods().length === 3);

    const scaled = events.findIndex(({ what }) => what === 'scaled from 2 to 3');
    expect(events[scaled]).toMatchObject({ who: 'user', sort: 'change' });
    const third = pods().at(-1);
    expect(third).toMatchObject({ who: 'operator', cause: scaled });
    expect(objects[third?.owner ?? -1]).toMatchObject({ kind: 'PodSet', name: 'web' });
  });

  it('writes nothing when another change would be written now, and ends with the command', async () => {
    const { apply = '' } = await post<TrialAnswer>('try', { yaml: manifest(4), horizon: '1m' });
    const { write } = await post<{ write: PreparedWrite }>('prepare', { apply });
    const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets/web`;
    const changed = { spec: { replicas: 4, minReadySeconds: 1 } };
    await plane.request('PATCH', path, changed, { contentType: 'application/merge-patch+json' });
    expect(await post('confirm', { id: write.id })).toMatchObject({
      problem: { message: expect.stringContaining(`PodSet ${namespace}/web has changed meanwhile`) },
    });
    expect(await dev.stop('SIGINT')).toBe(0);
    await expect(fetch(base, { headers })).rejects.toThrow('fetch failed');
  });
});
