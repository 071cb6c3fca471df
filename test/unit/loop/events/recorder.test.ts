import { describe, expect, it } from 'vitest';
import type { LoopEvent } from '#lib/loop/events/event.ts';
import { type RecorderOptions, startRecorder } from '#lib/loop/events/recorder.ts';
import type { EventOutcome } from '#lib/loop/metrics.ts';
import { createLogger, type Logger } from '#lib/telemetry/log.ts';
import { EventServer, refusal, silence } from '#test/unit/support/event-server.ts';
import { ManualTimers, settle } from '#test/unit/support/manual-timers.ts';

const about = (message: string, uid = 'u1'): LoopEvent => ({
  regarding: { apiVersion: 'demo.example.com/v1', kind: 'Shelf', namespace: 'default', name: 'novels', uid },
  type: 'Normal',
  reason: 'SuccessfulCreate',
  message,
  action: 'Create',
});

/** One of many that differ by the name of a pod alone. */
const creationOf = (name: string): LoopEvent => ({ ...about(`Created pod ${name}`), summary: 'Created more pods' });

const setUp = (options: Partial<RecorderOptions> = {}) => {
  const server = new EventServer();
  const timers = new ManualTimers();
  const outcomes: EventOutcome[] = [];
  const warnings: string[] = [];
  const log: Logger = {
    ...createLogger('silent'),
    warn: (_fields, message) => void warnings.push(message),
    debug: () => {},
  };
  const metrics = { event: (outcome: EventOutcome) => void outcomes.push(outcome) };
  const given = { api: server.api, timers, random: () => 0, log, metrics, instance: 'operator-0' };
  const recorder = startRecorder({ ...given, ...options });
  const tell = async (...events: readonly LoopEvent[]): Promise<void> => {
    events.forEach(recorder.sink);
    await settle();
  };
  return { server, timers, outcomes, warnings, recorder, tell };
};

const MINUTE_MS = 60_000;

describe('startRecorder()', () => {
  it('writes an event of events.k8s.io/v1 that says who did what to whom', async () => {
    const { server, tell, outcomes } = setUp();
    await tell(about('Created pod a'));
    expect(server.events).toEqual([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'novels.18ea0574a4cff000', namespace: 'default' },
        eventTime: '2026-11-21T09:30:00.000000Z',
        type: 'Normal',
        reason: 'SuccessfulCreate',
        note: 'Created pod a',
        action: 'Create',
        regarding: about('').regarding,
        reportingController: 'cdk8s-reconcile/shelf',
        reportingInstance: 'operator-0',
      },
    ]);
    expect(outcomes).toEqual(['created']);
  });

  it('names events so that they sort in the order in which they happened, however many happen at once', async () => {
    const { server, tell } = setUp();
    await tell(...Array.from({ length: 12 }, (_, index) => about(String(index))));
    const byName = server.events.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    expect(byName.map(({ note }) => Number(note))).toEqual(Array.from({ length: 12 }, (_, index) => index));
  });

  it('counts repetitions on the first event: at once the second time, then every ten minutes, then at the end', async () => {
    const { server, timers, tell } = setUp();
    await tell(about('again'));
    await tell(about('again'));
    expect(server.notes).toEqual(['again x2']);
    for (let minute = 0; minute < 9; minute += 1) {
      await tell(about('again'));
      await timers.advance(MINUTE_MS);
    }
    expect([server.notes, server.requests]).toEqual([['again x2'], 2]);
    await tell(about('again'));
    await timers.advance(2 * MINUTE_MS);
    expect([server.notes, server.requests]).toEqual([['again x12'], 3]);
    await tell(about('again'));
    await timers.advance(20 * MINUTE_MS);
    expect([server.notes, server.requests]).toEqual([['again x13'], 4]);
    expect(timers.pending).toEqual([]);
  });

  it('begins another event when the same thing happens after six minutes of silence', async () => {
    const { server, timers, tell } = setUp();
    await tell(about('again'));
    await timers.advance(6 * MINUTE_MS);
    await tell(about('again'));
    expect(server.notes).toEqual(['again', 'again']);
  });

  it('begins the event of a series anew when it is gone', async () => {
    const { server, tell } = setUp();
    await tell(about('again'));
    server.stored.clear();
    await tell(about('again'));
    expect(server.notes).toEqual(['again x2']);
  });

  it('tells 25 events of one object at once, then one every five minutes, and leaves other objects alone', async () => {
    const { server, timers, outcomes, tell } = setUp();
    await tell(...Array.from({ length: 40 }, (_, index) => about(`a ${index}`)), about('other', 'u2'));
    expect(server.notes).toHaveLength(26);
    expect(outcomes.filter((outcome) => outcome === 'limited')).toHaveLength(15);
    await timers.advance(5 * MINUTE_MS);
    await tell(about('b'), about('c'));
    expect(server.notes.slice(26)).toEqual(['b']);
  });

  it('keeps 15 of the 25 events of an object for what is not routine', async () => {
    const { server, tell } = setUp();
    const routine = Array.from({ length: 40 }, (_, index) => ({ ...about(`routine ${index}`), isRoutine: true }));
    await tell(...routine);
    expect(server.notes).toHaveLength(10);
    await tell(...Array.from({ length: 40 }, (_, index) => about(`own ${index}`)));
    expect(server.notes).toHaveLength(25);
  });

  it('names children three times; what is more of the sort is one series without names, until there was silence for ten minutes', async () => {
    const { server, timers, tell } = setUp();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await tell(creationOf(name));
    await timers.advance(9 * MINUTE_MS);
    const named = ['a', 'b', 'c'].map((name) => `Created pod ${name}`);
    expect(server.notes).toEqual([...named, 'Created more pods x4']);
    await timers.advance(2 * MINUTE_MS);
    await tell(creationOf('h'));
    expect(server.notes.slice(4)).toEqual(['Created pod h']);
  });

  it('tells what stands for many also when routine has used up its part', async () => {
    const { server, tell } = setUp();
    const routine = Array.from({ length: 9 }, (_, index) => ({ ...about(`routine ${index}`), isRoutine: true }));
    const created = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ ...creationOf(name), isRoutine: true }));
    await tell(...routine, ...created);
    expect(server.notes.slice(9)).toEqual(['Created pod a', 'Created more pods x2']);
  });

  it('counts an event that comes in the same words on itself, also when many of its sort came', async () => {
    const { server, tell } = setUp();
    for (let count = 0; count < 9; count += 1) await tell(creationOf('a'));
    expect(server.notes).toEqual(['Created pod a x2']);
  });

  it('waits while other writes are under way, but not for ever', async () => {
    let busy = true;
    const { server, timers, tell } = setUp({ isBusy: () => busy });
    await tell(about('first'));
    await timers.advance(9000);
    expect(server.notes).toEqual([]);
    busy = false;
    await timers.advance(100);
    expect(server.notes).toEqual(['first']);
    busy = true;
    await tell(about('second'));
    await timers.advance(10_000);
    expect(server.notes).toEqual(['first', 'second']);
  });

  it.each([
    { error: () => silence(), reason: 'no answer comes' },
    { error: () => refusal(503, 'ServiceUnavailable'), reason: 'the server is failing' },
    { error: () => refusal(429, 'TooManyRequests', 5000), reason: 'the server is busy' },
  ])('tries twelve times when $reason, then goes on with the next', async ({ error }) => {
    const { server, timers, outcomes, warnings, tell } = setUp();
    server.refuse = () => (server.requests <= 12 ? error() : undefined);
    await tell(about('lost'), about('kept'));
    await timers.advance(10 * MINUTE_MS);
    expect(server.requests).toBe(13);
    expect([server.notes, outcomes, warnings]).toEqual([['kept'], ['failed', 'created'], ['event lost']]);
  });

  it('drops what is refused, says so once, and again only after something got through', async () => {
    const { server, warnings, outcomes, tell } = setUp();
    server.refuse = () => refusal(403, 'Forbidden');
    await tell(about('a'), about('b'));
    expect([warnings, outcomes, server.requests]).toEqual([['event lost'], ['failed', 'failed'], 2]);
    server.refuse = () => undefined;
    await tell(about('c'));
    server.refuse = () => refusal(403, 'Forbidden');
    await tell(about('d'));
    expect(warnings).toEqual(['event lost', 'event lost']);
  });

  it('drops the oldest when more than a thousand wait', async () => {
    let busy = true;
    const { server, timers, outcomes, tell } = setUp({ isBusy: () => busy });
    await tell(...Array.from({ length: 1003 }, (_, index) => about('m', `u${index}`)));
    busy = false;
    await timers.advance(100);
    expect(outcomes.filter((outcome) => outcome === 'dropped')).toHaveLength(3);
    expect(server.events.map(({ regarding }) => regarding['uid'])).not.toContain('u0');
    expect(server.events).toHaveLength(1000);
  });

  it('stop() sends what waits and the counts of series, and takes no more', async () => {
    const { server, recorder, tell } = setUp({ isBusy: () => true });
    await tell(about('a'), about('b'), about('b'), about('b'));
    await recorder.stop();
    expect(server.notes).toEqual(['a', 'b x3']);
    await tell(about('late'));
    expect(server.notes).toEqual(['a', 'b x3']);
  });

  it('stop() waits for two seconds at most when the server does not answer', async () => {
    const { server, timers, recorder, tell } = setUp();
    const api = { ...server.api, create: async () => new Promise<never>(() => {}) };
    const stuck = startRecorder({
      api,
      timers,
      random: () => 0,
      log: createLogger('silent'),
      metrics: { event: () => {} },
      instance: 'x',
    });
    stuck.sink(about('a'));
    await tell();
    let stopped = false;
    void stuck.stop().then(() => (stopped = true));
    await timers.advance(1999);
    expect(stopped).toBe(false);
    await timers.advance(1);
    expect(stopped).toBe(true);
    await recorder.stop();
  });
});
