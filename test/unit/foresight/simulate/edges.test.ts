import { describe, expect, it } from 'vitest';
import { simulate } from '#lib/foresight/simulate/simulate.ts';
import { readAnswerUrl } from '#lib/foresight/simulate/targets/answer-url.ts';
import type { JsonObject } from '#lib/json.ts';
import { callerThat, get } from '#test/unit/support/effects-bench.ts';
import { entriesOf, kinds, podSetManifest, readyAt, storyOf } from './stories.ts';

const minute = 60_000;
const ENDS = 'readiness no longer fails';

describe('simulate() of what lasts for a while', () => {
  it('simulate() lets readiness fail in another namespace, and ends it there', async () => {
    const manifest = { ...podSetManifest(1), metadata: { name: 'web', namespace: 'other' } };
    const changes = [{ at: '1m', fail: { of: 'other/PodSet/web' }, for: '2m' }];
    const report = await simulate({ kinds, manifests: [manifest], script: { changes } });
    expect([0.9, 2.9, 3.1].map((at) => readyAt(report, at * minute, 'PodSet other/web'))).toEqual([1, 0, 1]);
  });

  it('simulate() ends the longer of two failures of a pod, not the first', async () => {
    const report = await storyOf([
      { at: '1m', fail: { of: 'PodSet/web' }, for: '2m' },
      { at: '2m', fail: { of: 'PodSet/web' }, for: '5m' },
    ]);
    expect([0.9, 3.5, 6.9, 7.1].map((at) => readyAt(report, at * minute))).toEqual([3, 2, 2, 3]);
    expect(report.timeline.filter(({ what }) => what === ENDS)).toHaveLength(1);
  });

  it('simulate() does not end what was restored before, and lets it come again', async () => {
    const report = await storyOf([
      { at: '1m', lose: 'node-1', for: '10m' },
      { at: '2m', restore: 'node-1' },
      { at: '5m', lose: 'node-1', for: '10m' },
    ]);
    const entries = report.timeline.filter(({ object }) => object === 'Node node-1');
    expect(entries.map(({ atMs, what }) => [atMs / minute, what])).toEqual([
      [1, 'lost for 10 m'],
      [2, 'is back'],
      [5, 'lost for 10 m'],
      [15, 'is back'],
    ]);
  });

  it('simulate() says nothing of the readiness of a pod that is gone', async () => {
    const report = await storyOf([
      { at: '1m', fail: { of: 'PodSet/web', all: true }, for: '5m' },
      { at: '2m', kill: { of: 'PodSet/web', all: true } },
    ]);
    expect(report.timeline.filter(({ what }) => what === ENDS)).toEqual([]);
    expect(readyAt(report, 4 * minute)).toBe(3);
  });

  it('simulate() makes changes that come after more than a day', async () => {
    const report = await storyOf([{ at: '30h', scale: 'PodSet/web', to: 1 }]);
    expect(entriesOf(report, 'PodSet default/web')).toContain('scaled from 3 to 1');
    expect(readyAt(report, report.durationMs)).toBe(1);
  });
});

const caller = { apiVersion: 'demo.example.com/v1', kind: 'Caller', metadata: { name: 'c' }, spec: { keys: ['a'] } };

const askedBy = async (url: string, rule: string): Promise<readonly string[]> => {
  const kind = callerThat(({ recorded }) =>
    recorded.length > 0 ? [] : [get('a', { request: { method: 'GET', url } })],
  );
  const { timeline } = await simulate({ kinds: [kind], manifests: [caller], script: { http: [{ url: rule }] } });
  return timeline.filter(({ sort }) => sort === 'effect').map(({ what }) => what);
};

const secret: JsonObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'hook', annotations: { 'cdk8s-reconcile/allowed-hosts': 'hooks.example.com' } },
  type: 'cdk8s-reconcile/http-credentials',
  stringData: { url: 'https://hooks.example.com/T000/s3cret' },
};

describe('simulate() of servers outside', () => {
  it.for([
    ['http://gate.test/x', 'http://gate.test/*'],
    ['http://gate.test/', 'http://Gate.test:80'],
    ['https://a.gate.test/x', 'https://*.gate.test:443/*'],
    ['http://[::1]:8080/x', 'http://[::1]:8080/x'],
  ] as const)('simulate() lets %s be answered by %s', async ([url, rule]) => {
    expect(await askedBy(url, rule)).toEqual([`GET ${url} → 200`]);
  });

  it.for(['gate.test/*', '*', 'https://*', 'ftp://gate.test/', 'https://me@gate.test/'])(
    'readScript() refuses the rule %s, which names no host',
    async (url) => {
      expect(readAnswerUrl(url)).toBeUndefined();
      await expect(storyOf([{ answer: url }])).rejects.toThrow('changes[0].answer');
      await expect(storyOf([], { rest: { http: [{ url }] } })).rejects.toThrow(
        /http\[0\]\.url: must begin with http:\/\/ or https:\/\/ and a host/,
      );
    },
  );

  it('simulate() shows neither an address out of a Secret nor what a Secret holds', async () => {
    const request = { method: 'POST', url: { secretName: 'hook', key: 'url' } } as const;
    const kind = callerThat(({ recorded }) => (recorded.length > 0 ? [] : [get('a', { request })]));
    const script = {
      http: [{ url: 'https://hooks.example.com/*' }],
      changes: [{ at: '1m', patch: 'Secret/hook', with: { stringData: { more: 's3cret too' } } }],
    };
    const report = await simulate({ kinds: [kind], manifests: [secret, caller], script });
    expect(report.timeline.find(({ sort }) => sort === 'effect')?.what).toBe('POST https://hooks.example.com/… → 200');
    const text = JSON.stringify(report);
    expect(text).not.toContain('s3cret');
    expect(text).not.toContain(Buffer.from('s3cret').toString('base64').slice(0, 6));
    expect(text).not.toContain(Buffer.from('https://hooks.example.com/T000/s3cret').toString('base64'));
  });
});
