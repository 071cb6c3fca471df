import { describe, expect, it } from 'vitest';
import { startRecorder } from '#lib/loop/events/recorder.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { refusal, silence } from '#test/unit/support/event-server.ts';
import { about, creationOf, incident, MINUTE_MS, setUp } from './recorder-bench.ts';

describe('startRecorder()', () => {
  it('writes an event of events.k8s.io/v1 with reporter, action and objects', async () => {
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

  it('sends 25 events of one object at once, then one every five minutes, and leaves other objects alone', async () => {
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

  it('sends what stands for many also when routine has used up its part', async () => {
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

  it('creates an event that was repeated while it waited with its count, by one request', async () => {
    const { server, timers, outcomes, tell } = setUp({ isBusy: () => true });
    await tell(about('again'), about('again'), about('again'));
    await timers.advance(100);
    expect([server.notes, server.requests, outcomes]).toEqual([['again x3'], 1, ['created']]);
    await timers.advance(20 * MINUTE_MS);
    expect(server.requests).toBe(1);
  });

  it.each([
    { events: 'warnings', notes: ['stuck'] },
    { events: 'all', notes: ['stuck', 'Created pod'] },
  ] as const)('sends $notes with events: $events', async ({ events, notes }) => {
    const { server, tell } = setUp({ events });
    await tell(about('Created pod'), incident('stuck', 'u2'));
    expect(server.notes).toEqual(notes);
  });

  it.each([
    { error: () => silence(), reason: 'no answer comes' },
    { error: () => refusal(503, 'ServiceUnavailable'), reason: 'the server is failing' },
    { error: () => refusal(429, 'TooManyRequests', 5000), reason: 'the server is busy' },
  ])('tries for more than a minute and less than five when $reason, then goes on with the next', async ({ error }) => {
    const { server, timers, outcomes, warnings, tell } = setUp();
    server.refuse = () => error();
    await tell(about('lost'));
    await timers.advance(MINUTE_MS);
    expect(outcomes).toEqual([]);
    await timers.advance(4 * MINUTE_MS);
    server.refuse = () => undefined;
    await tell(about('kept'));
    expect([server.notes, outcomes, warnings]).toEqual([['kept'], ['failed', 'created'], ['event lost']]);
  });

  it('goes on with other namespaces when what is refused in one is tried again', async () => {
    const { server, timers, tell } = setUp();
    // The admission plugin EventRateLimit refuses by namespace.
    server.refuseEvent = ({ metadata: { namespace } }) =>
      namespace === 'default' ? refusal(429, 'TooManyRequests') : undefined;
    await tell(incident('limited', 'u1'), incident('free', 'u2', 'team-b'));
    await timers.advance(5000);
    expect(server.notes).toEqual(['free']);
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
