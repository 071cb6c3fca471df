import { describe, expect, it } from 'vitest';
import { refusal } from '#test/unit/support/event-server.ts';
import { about, incident, MINUTE_MS, setUp } from './recorder-bench.ts';

describe('startRecorder(), when there is much to write', () => {
  it('sends a warning at once while other writes are under way, and ten other events a second', async () => {
    const { server, timers, tell } = setUp({ isBusy: () => true });
    await tell(...Array.from({ length: 100 }, (_, index) => about('Created pod', `u${index}`)));
    await timers.advance(1000);
    expect(server.notes).toHaveLength(10);
    await tell(incident('quota exceeded', 'late'));
    await timers.advance(100);
    expect(server.notes).toContain('quota exceeded');
    await timers.advance(9000);
    expect(server.notes).toHaveLength(101);
  });

  it('sends what has piled up at most fifty times a second once there are no other writes, and a warning before it', async () => {
    let isBusy = true;
    const { server, timers, tell } = setUp({ isBusy: () => isBusy });
    await tell(...Array.from({ length: 500 }, (_, index) => about('Created pod', `u${index}`)));
    isBusy = false;
    await timers.advance(100);
    const sentBefore = server.notes.length;
    await timers.advance(1000);
    expect(server.notes.length - sentBefore).toBe(50);
    await tell(incident('quota exceeded', 'late'));
    await timers.advance(20);
    expect(server.notes).toContain('quota exceeded');
    await timers.advance(9000);
    expect(server.notes).toHaveLength(501);
  });

  it('sends a warning of one namespace after at most one of each other namespace, however many these have', async () => {
    const { server, tell } = setUp();
    const flood = Array.from({ length: 500 }, (_, index) => incident('flood', `u${index}`));
    await tell(...flood, incident('other tenant', 'u', 'team-b'));
    expect(server.notes.indexOf('other tenant')).toBeLessThanOrEqual(2);
  });

  it('sends warnings before other events, and the first of a reason before further ones of its reason', async () => {
    let busy = true;
    const { server, timers, tell } = setUp({ isBusy: () => busy });
    server.refuse = () => (busy ? refusal(503, 'ServiceUnavailable') : undefined);
    await tell(about('first'), about('first in other words'), incident('later', 'u2'));
    busy = false;
    await timers.advance(MINUTE_MS);
    expect(server.notes).toEqual(['later', 'first', 'first in other words']);
  });

  it.each([5, 20, 35, 60])('shows a warning within 5 s of the end of an outage of %i s', async (seconds) => {
    const { server, timers, tell } = setUp({ random: () => 0.99 });
    let isDown = true;
    server.refuse = () => (isDown ? refusal(429, 'TooManyRequests', 1000) : undefined);
    await tell(...Array.from({ length: 50 }, (_, index) => about('Created pod', `u${index}`)), incident('stuck', 'u'));
    await timers.advance(seconds * 1000);
    isDown = false;
    await timers.advance(5000);
    expect(server.notes).toContain('stuck');
  });

  it('drops repetitions, then the latest of other events, and warnings last, when more than a thousand wait', async () => {
    const { server, timers, outcomes, tell } = setUp({ isBusy: () => true });
    await tell(about('told before'));
    await timers.advance(100);
    await tell(about('told before'), about('told before in other words'));
    await tell(...Array.from({ length: 1000 }, (_, index) => about('m', `m${index}`)));
    expect(outcomes.filter((outcome) => outcome === 'dropped')).toHaveLength(2);
    await tell(...Array.from({ length: 900 }, (_, index) => incident('w', `w${index}`)));
    await timers.advance(5 * MINUTE_MS);
    const ofUid = (start: string) => server.events.filter(({ regarding }) => `${regarding['uid']}`.startsWith(start));
    expect(ofUid('w')).toHaveLength(900);
    expect(ofUid('m').map(({ regarding }) => regarding['uid'])).toEqual(
      Array.from({ length: 100 }, (_, index) => `m${index}`),
    );
    expect(server.notes[0]).toBe('told before');
  });

  it('drops from the namespace that has the most', async () => {
    const { server, timers, tell } = setUp({ isBusy: () => true });
    await tell(...Array.from({ length: 1000 }, (_, index) => about('flood', `u${index}`)));
    await tell({ ...about('other tenant', 'u'), regarding: { ...about('').regarding, namespace: 'team-b', uid: 'u' } });
    await timers.advance(5 * MINUTE_MS);
    expect(server.notes).toContain('other tenant');
    expect(server.notes).toHaveLength(1000);
  });

  it('sends what was dropped when it happens again', async () => {
    const { server, timers, tell } = setUp({ isBusy: () => true });
    await tell(...Array.from({ length: 1001 }, (_, index) => about('m', `m${index}`)));
    await timers.advance(5 * MINUTE_MS);
    expect(server.events.map(({ regarding }) => regarding['uid'])).not.toContain('m1000');
    await tell(about('m', 'm1000'));
    await timers.advance(100);
    expect(server.events.map(({ regarding }) => regarding['uid'])).toContain('m1000');
  });
});
