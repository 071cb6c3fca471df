import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { simulationOf } from '#lib/sim/cluster.ts';
import { explore, seedsFrom } from '#lib/sim/explore/explore.ts';
import { failureInWords } from '#lib/sim/explore/failure.ts';
import type { HttpExchange } from '#lib/sim/world/scenario/http-exchange.ts';
import { userOf } from '#lib/sim/world/scenario/user.ts';
import type { World } from '#lib/sim/world/world.ts';
import { command, deployerIn, HOOKS, PROMETHEUS, sizesIn } from './scenarios/deployer.ts';
import { type Answer, checkedRollout, effectOf, hooksCalled, measuring } from './scenarios/deployer-checks.ts';
import { crash, type Incident, play } from './scenarios/deployer-play.ts';

const SEEDS = process.env['SOAK'] === undefined ? 8 : 1000;

const played = async (answer: Answer, spec: JsonObject = {}, incidents: readonly Incident[] = []) =>
  play(checkedRollout('checked', answer, { spec }), incidents);

/** Gives one hook this answer; all other requests succeed. */
const hookThat =
  (name: string, answer: Answer): Answer =>
  (exchange, view) =>
    exchange.url.endsWith(`/${name}`) ? answer(exchange, view) : measuring('1')(exchange, view);

const commanded = (verb: string, when: Incident['when']): Incident => ({
  when,
  run: (world: World) => {
    const revision = deployerIn(world.view)?.status?.canaryHash ?? '';
    command(verb, revision).run(userOf(world.server));
  },
});

/** Fails once, and succeeds afterwards. */
const sick: Answer = (exchange, view) =>
  measuring(view.exchanges.filter(({ url }) => url.includes(PROMETHEUS)).length === 1 ? '9' : '1')(exchange, view);

/** No data in the first two samples, as for pods that Prometheus has not scraped twice. */
const late: Answer = (exchange, view) =>
  measuring(view.exchanges.filter(({ url }) => url.includes(PROMETHEUS)).length <= 2 ? undefined : '1')(exchange, view);

const keysTo = (exchanges: readonly HttpExchange[], name: string): readonly string[] =>
  exchanges.filter(({ url }) => url === `https://${HOOKS}/${name}`).map(effectOf);

describe('a rollout with checks', () => {
  it('hooks are called at their points in the life of a rollout, each once', async () => {
    const { view } = await played(measuring('1'));
    const silent = new Set(['all', 'chat']);
    expect(hooksCalled(view).filter((name) => !silent.has(name))).toEqual([
      'after', // the first version, which has no steps
      'may-begin',
      'smoke',
      'load',
      'may-go-on',
      'may-end',
      'may-go-on',
      'after',
    ]);
    expect(deployerIn(view)?.status).toMatchObject({ phase: 'Healthy', stableVersion: '1.7.8' });
  });

  it('the metric is sampled every 20 s of the sleep of 60 s, and once more at its end', async () => {
    const { view } = await played(measuring('1'));
    const samples = view.exchanges.filter(({ url }) => url.includes(PROMETHEUS));
    expect(samples.map(({ url }) => new URL(url).searchParams.get('query'))).toEqual(
      Array.from({ length: 4 }, () => 'errors{version="1.7.8"}'),
    );
    expect(samples.map(effectOf).at(-1)).toMatch(/4-end$/);
  });

  it('sends each notice once: started, step, completed', async () => {
    const { view } = await played(measuring('1'));
    const texts = view.exchanges
      .filter(({ url }) => url.endsWith('/chat'))
      .map(({ body = '' }) => (JSON.parse(body) as { text: string }).text);
    expect(texts.slice(-4)).toEqual([
      'default/nginx 1.7.8 started: version 1.7.8 is rolled out in place of 1.7.7',
      'default/nginx 1.7.8 step: 1/2 (30%)',
      'default/nginx 1.7.8 step: 2/2 (100%)',
      'default/nginx 1.7.8 completed: version 1.7.8 is stable',
    ]);
  });

  it('a metric out of its bounds takes the rollout back', async () => {
    const { view } = await played(measuring('9'));
    const { status } = deployerIn(view) ?? {};
    expect(status).toMatchObject({ phase: 'Degraded', abortReason: 'MetricFailed', stableVersion: '1.7.7' });
    expect(sizesIn(view)['nginx-1.7.7']).toBe(4);
    expect(sizesIn(view)['nginx-1.7.8'] ?? 0).toBe(0);
  });

  it('a metric without data at first goes on by itself when data arrive', async () => {
    const { scenes, view } = await played(late);
    expect(scenes.some(({ status }) => status?.analysis.some(({ phase }) => phase === 'Inconclusive'))).toBe(true);
    expect(scenes.some(({ status }) => status?.phase === 'Paused')).toBe(false);
    expect(deployerIn(view)?.status).toMatchObject({ phase: 'Healthy', stableVersion: '1.7.8' });
  });

  it('a metric that stays without data waits for a command', async () => {
    const { scenes, view } = await played(measuring(undefined), {}, [
      commanded('promote', ({ status }) => status?.phase === 'Paused'),
    ]);
    expect(scenes.some(({ status }) => status?.phase === 'Paused')).toBe(true);
    expect(deployerIn(view)?.status).toMatchObject({ phase: 'Healthy', stableVersion: '1.7.8' });
    const waiting = await played(measuring(undefined));
    expect(deployerIn(waiting.view)?.status?.phase).toBe('Paused');
  });

  it('a version that is tried again is measured and called for anew, under other keys', async () => {
    const { view } = await played(sick, {}, [commanded('retry', ({ status }) => status?.phase === 'Degraded')]);
    expect(deployerIn(view)?.status).toMatchObject({ phase: 'Healthy', stableVersion: '1.7.8' });
    const keys = keysTo(view.exchanges, 'smoke');
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(2);
  });

  it('a Pre hook that says no takes the rollout back before a pod has come', async () => {
    const { scenes, view } = await played(hookThat('smoke', () => ({ status: 403, body: '' })));
    expect(deployerIn(view)?.status).toMatchObject({ phase: 'Degraded', abortReason: 'WebhookFailed' });
    expect(Math.max(...scenes.map(({ sizes }) => sizes['nginx-1.7.8'] ?? 0))).toBe(0);
  });

  it('a confirmation that says no at first is asked again, and nothing comes before it says yes', async () => {
    const shy = hookThat('may-begin', (_, { exchanges }) => {
      const asked = exchanges.filter(({ url }) => url.endsWith('/may-begin')).length;
      return { status: asked < 3 ? 403 : 200, body: '' };
    });
    const { scenes, view } = await played(shy);
    const keys = keysTo(view.exchanges, 'may-begin');
    expect(keys.map((key) => key.replace(/^[^/]+/, ''))).toEqual(['/0/may-begin', '/0/may-begin/2', '/0/may-begin/3']);
    const begun = scenes.find(({ status }) => status?.canaryVersion === '1.7.8')?.second ?? 0;
    const first = scenes.find(({ sizes }) => (sizes['nginx-1.7.8'] ?? 0) > 0)?.second ?? 0;
    expect(first - begun).toBeGreaterThanOrEqual(60);
    expect(deployerIn(view)?.status?.phase).toBe('Healthy');
  });

  it('a hook whose server is unwell is tried again under one key', async () => {
    const unwell = hookThat('smoke', (_, { exchanges }) => {
      const asked = exchanges.filter(({ url }) => url.endsWith('/smoke')).length;
      return { status: asked < 3 ? 503 : 200, body: '' };
    });
    const { view } = await played(unwell);
    const keys = keysTo(view.exchanges, 'smoke');
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it('a crash in the sleep repeats no hook that has passed, and the metric goes on where it was', async () => {
    const { view } = await played(measuring('1'), {}, [
      crash(({ status }) => status?.analysis.some(({ name, count }) => name === 'errors' && count === 2) ?? false),
    ]);
    for (const name of ['may-begin', 'smoke', 'load']) expect(keysTo(view.exchanges, name)).toHaveLength(1);
    expect(view.exchanges.filter(({ url }) => url.includes(PROMETHEUS))).toHaveLength(4);
  });

  it('a chat that is down holds nothing back', async () => {
    const { view } = await played(hookThat('chat', () => ({ status: 500, body: '' })));
    expect(deployerIn(view)?.status).toMatchObject({ phase: 'Healthy', stableVersion: '1.7.8' });
  });

  it('ends as if nothing had gone wrong under any schedule in which requests arrive at last', async () => {
    const few = { replicas: 2 };
    const scenario = checkedRollout('chaos', measuring('1'), { deployment: few });
    const { schedules, failures } = await explore(simulationOf(scenario), {
      weights: { http: 0 },
      seeds: seedsFrom(1, SEEDS),
    });
    expect(failures.map(failureInWords).join('\n\n')).toBe('');
    expect(schedules).toBe(SEEDS);
  });
});
