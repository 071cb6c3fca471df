import { describe, expect, it } from 'vitest';
import { ConnectionError } from '#lib/errors.ts';
import type { HttpAnswer, HttpRequest } from '#lib/kube/interface/http.ts';
import { live } from '#test/unit/support/controller-bench.ts';
import { callerThat, effectsBench, get, scriptedHttp } from '#test/unit/support/effects-bench.ts';

/** A server that answers a request when the test calls its `answer`, unless the request was aborted before. */
const heldAnswers = () => {
  const held: { readonly request: HttpRequest; readonly answer: (answer: HttpAnswer) => void }[] = [];
  const http = scriptedHttp(async (request) => {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    request.signal.addEventListener('abort', () => reject(new ConnectionError('aborted')));
    held.push({ request, answer: resolve });
    return promise;
  });
  return { held, http };
};

const keyOfRequest = ({ headers }: HttpRequest): string | undefined => headers['idempotency-key'];

describe('EffectRunner', () => {
  it('EffectRunner performs what is asked for once, and its outcome wakes the resource', async () => {
    const { bench, requests, recorded } = effectsBench();
    bench.declare('caller', { keys: ['a', 'b'] });
    await live(bench, 2000);
    expect(recorded()).toEqual(['a=200', 'b=200']);
    expect(requests).toHaveLength(2);
    expect(bench.conditionOf('caller', 'Ready')?.status).toBe('True');
  });

  it('EffectRunner sends a key that is the same for the same resource and effect, and another for others', async () => {
    const { bench, requests } = effectsBench(scriptedHttp((_, count) => ({ status: count < 3 ? 503 : 200, body: '' })));
    const { metadata } = bench.declare('caller', { keys: ['a'] });
    const other = bench.declare('other', { keys: ['a'] });
    await live(bench, 60_000);
    expect(new Set(requests.map(keyOfRequest))).toEqual(new Set([`${metadata.uid}/a`, `${other.metadata.uid}/a`]));
    expect(requests.length).toBeGreaterThan(2);
  });

  it.each([
    { status: 503, retries: 2, requests: 3, record: 'a!Answered503', reason: 'the server is unwell' },
    { status: 429, retries: 0, requests: 1, record: 'a!Answered429', reason: 'the server is busy' },
    { status: 404, retries: 2, requests: 1, record: 'a=404', reason: 'it is an answer, and the kind’s to judge' },
  ])('EffectRunner ends with $record after $requests requests when $reason', async (row) => {
    const http = scriptedHttp(() => ({ status: row.status, body: '' }));
    const kind = callerThat(({ recorded }) => (recorded.length > 0 ? [] : [get('a', { retries: row.retries })]));
    const { bench, requests, recorded } = effectsBench(http, kind);
    bench.declare('caller', { keys: ['a'] });
    await live(bench, 60_000);
    expect({ requests: requests.length, recorded: recorded() }).toEqual({
      requests: row.requests,
      recorded: [row.record],
    });
  });

  it('EffectRunner waits longer before each further try', async () => {
    const at: number[] = [];
    const http = scriptedHttp(() => {
      at.push(bench.timers.elapsed());
      return Promise.reject(new ConnectionError('No answer'));
    });
    const { bench, recorded } = effectsBench(
      http,
      callerThat(({ recorded: r }) => (r.length > 0 ? [] : [get('a', { retries: 3 })])),
    );
    bench.declare('caller', { keys: ['a'] });
    await live(bench, 60_000);
    expect(at.slice(1).map((moment, index) => moment - (at[index] ?? 0))).toEqual([500, 1000, 2000]);
    expect(recorded()).toEqual(['a!Unreachable']);
  });

  it('EffectRunner gives a try no more than its time', async () => {
    const { held, http } = heldAnswers();
    const kind = callerThat(({ recorded }) =>
      recorded.length > 0 ? [] : [get('a', { retries: 0, timeoutSeconds: 7 })],
    );
    const { bench, recorded } = effectsBench(http, kind);
    bench.declare('caller', { keys: ['a'] });
    await live(bench, 6900);
    expect(held[0]?.request.signal.aborted).toBe(false);
    await live(bench, 200);
    expect(held[0]?.request.signal.aborted).toBe(true);
    await live(bench, 1000);
    expect(recorded()).toEqual(['a!TimedOut']);
  });

  it('EffectRunner never tries again under a key what has failed, however often it is asked for', async () => {
    const http = scriptedHttp(() => ({ status: 500, body: '' }));
    const { bench, requests } = effectsBench(
      http,
      callerThat(({ outcome }) => (outcome('a').state === 'failed' ? [] : [get('a', { retries: 0 })])),
    );
    bench.declare('caller', { keys: ['a'] });
    await live(bench, 2000);
    for (const keys of [['a', 'b'], ['a', 'c'], ['a']]) {
      bench.edit('caller', { keys });
      bench.catchUp();
      await live(bench, 2000);
    }
    expect(requests).toHaveLength(1);
  });

  it('EffectRunner keeps the latest failure, even if the effect was asked for before 256 others that failed', async () => {
    const { held, http } = heldAnswers();
    const asked = callerThat(({ wanted, outcome }) =>
      wanted
        .filter((key) => outcome(key).state !== 'failed')
        .map((key) => get(key, { retries: 0, timeoutSeconds: 60 })),
    );
    const { bench } = effectsBench(http, asked);
    const failed = { status: 500, body: '' };
    bench.declare('caller', { keys: ['slow'] });
    await live(bench, 2000);
    for (let batch = 0; batch < 8; batch += 1) {
      bench.edit('caller', { keys: ['slow', ...Array.from({ length: 32 }, (_, index) => `${batch}-${index}`)] });
      bench.catchUp();
      for (let round = 0; round < 4; round += 1) {
        await live(bench, 1000);
        for (const { answer } of held.slice(1)) answer(failed);
      }
      await live(bench, 1000);
    }
    expect(held).toHaveLength(1 + 256);
    held[0]?.answer(failed);
    await live(bench, 2000);
    expect(held).toHaveLength(1 + 256);
  });

  it('EffectRunner never performs again what has succeeded while it is asked for', async () => {
    const { bench, requests } = effectsBench(
      scriptedHttp(),
      callerThat(() => [get('a')]),
    );
    bench.declare('caller', { keys: ['a'] });
    await live(bench, 2000);
    for (const keys of [['a', 'b'], ['a']]) {
      bench.edit('caller', { keys });
      bench.catchUp();
      await live(bench, 2000);
    }
    expect(requests).toHaveLength(1);
  });

  it('EffectRunner keeps a success until its status is written, however often that is refused', async () => {
    const { bench, requests, recorded } = effectsBench();
    let refusals = 0;
    bench.api.refuse = ({ verb }) => {
      if (verb !== 'patchStatus' || requests.length === 0 || refusals === 5) return undefined;
      refusals += 1;
      return new ConnectionError('refused');
    };
    bench.declare('caller', { keys: ['a'] });
    await live(bench, 30_000);
    expect({ refusals, requests: requests.length, recorded: recorded() }).toEqual({
      refusals: 5,
      requests: 1,
      recorded: ['a=200'],
    });
  });

  it('EffectRunner forgets a success after the pass that follows its status', async () => {
    const { bench } = effectsBench();
    bench.declare('caller', { keys: ['a'] });
    await live(bench, 2000);
    bench.edit('caller', { keys: ['a', 'b'] });
    bench.catchUp();
    await live(bench, 2000);
    bench.edit('caller', { keys: ['a'] });
    bench.catchUp();
    await live(bench, 2000);
    bench.edit('caller', { keys: [] });
    bench.catchUp();
    await live(bench, 2000);
    expect(bench.context.effects.inspect()).toEqual({ 'default/caller': {} });
  });

  it('EffectRunner cancels what is not asked for any more, and begins no further try', async () => {
    const { held, http } = heldAnswers();
    const { bench, requests, recorded } = effectsBench(http);
    bench.declare('caller', { keys: ['a'] });
    await live(bench, 1000);
    bench.edit('caller', { keys: [] });
    bench.catchUp();
    await live(bench, 60_000);
    expect(held.map(({ request }) => request.signal.aborted)).toEqual([true]);
    expect({ requests: requests.length, recorded: recorded() }).toEqual({ requests: 1, recorded: [] });
  });

  it('EffectRunner cancels what a resource asked for that is gone, and gives a later one of its name no outcome', async () => {
    const { held, http } = heldAnswers();
    const { bench, requests } = effectsBench(http);
    bench.declare('caller', { keys: ['a'] });
    await live(bench, 1000);
    bench.api.vanish(bench.kind, 'caller');
    const again = bench.declare('caller', { keys: ['a'] });
    await live(bench, 1000);
    expect(held.map(({ request }) => request.signal.aborted)).toEqual([true, false]);
    expect(requests.map(keyOfRequest)[1]).toBe(`${again.metadata.uid}/a`);
  });

  it('EffectRunner lets 16 of a namespace run at once at most, and all of them in the end', async () => {
    const { held, http } = heldAnswers();
    const { bench, recorded } = effectsBench(http);
    bench.declare('caller', { keys: Array.from({ length: 40 }, (_, index) => `k${String(index).padStart(2, '0')}`) });
    await live(bench, 500);
    expect(held).toHaveLength(16);
    for (let answered = 0; answered < 40; answered += 1) {
      held[answered]?.answer({ status: 200, body: '' });
      await live(bench, 50);
    }
    await live(bench, 1000);
    expect(held).toHaveLength(40);
    expect(recorded()).toHaveLength(40);
  });

  it('EffectRunner ends all when the controller stops, and begins nothing more', async () => {
    const { held, http } = heldAnswers();
    const { bench, requests } = effectsBench(http);
    bench.declare('caller', { keys: ['a'] });
    await live(bench, 500);
    await bench.context.effects.stop();
    expect(held.map(({ request }) => request.signal.aborted)).toEqual([true]);
    bench.edit('caller', { keys: ['a', 'b'] });
    bench.catchUp();
    await live(bench, 500);
    expect(requests).toHaveLength(1);
  });
});
