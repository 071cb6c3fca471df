import { describe, expect, it } from 'vitest';
import type { EffectHosts } from '#lib/desired/hosts/effect-hosts.ts';
import { attempt, HOOK, ok, type Situation } from './http-attempt.ts';

describe('performHttp(), by the purpose of a host', () => {
  const lists: EffectHosts = { metricHosts: ['prometheus.example.com'], webhookHosts: ['hooks.example.com'] };
  const query = 'https://prometheus.example.com/below/api/v1/query?query=up';
  const shared: EffectHosts = {
    allowedHosts: ['prometheus.example.com', 'hooks.example.com'],
    prometheusUrl: 'https://prometheus.example.com',
  };

  it.each<Situation & { because: string }>([
    { because: 'a metric is asked of a metric host', hosts: lists, purpose: 'metric', request: { url: query } },
    { because: 'the same is asked of it without a purpose', hosts: lists, request: { url: query } },
    { because: 'any request goes to a webhook host', hosts: lists, request: { method: 'POST', url: HOOK, body: '{}' } },
    {
      because: 'a metric is asked of the one list of before',
      hosts: shared,
      purpose: 'metric',
      request: { url: query },
    },
    { because: 'a hook goes to the one list of before', hosts: shared, request: { method: 'POST', url: HOOK } },
  ])('performHttp() sends the request when $because', async (situation) => {
    const { result, urls } = await attempt(situation);
    expect({ result, urls }).toEqual({ result: { result: 'succeeded', value: ok }, urls: [situation.request?.url] });
  });

  it.each<Situation & { because: string; reason: string; detail?: string }>([
    ...[
      { because: 'a metric host gets a POST', method: 'POST' as const, url: query },
      {
        because: 'a metric host is asked to quit',
        method: 'POST' as const,
        url: 'https://prometheus.example.com/-/quit',
      },
      { because: 'a metric host is asked for another path', url: 'https://prometheus.example.com/metrics' },
      { because: 'a metric host is asked for series', url: query.replace('/query', '/series') },
      { because: 'a metric host is asked for more than a query', url: `${query}&timeout=1h` },
      { because: 'the path of a query is escaped', url: query.replace('/below', '/-%2fquit%3f') },
      {
        because: 'the query stands behind a fragment',
        url: `https://prometheus.example.com/-/quit#/api/v1/query?query=up`,
      },
    ].flatMap(({ because, ...request }) => [
      { because, request, hosts: lists, reason: 'OnlyMetricQueries' },
      { because: `${because}, in one list with the webhooks`, request, hosts: shared, reason: 'OnlyMetricQueries' },
    ]),
    {
      because: 'a query has a body',
      hosts: lists,
      purpose: 'metric',
      request: { url: query, body: 'x' },
      reason: 'OnlyMetricQueries',
    },
    {
      because: 'a metric is asked of a webhook host',
      hosts: lists,
      purpose: 'metric',
      request: { url: 'https://hooks.example.com/api/v1/query?query=up' },
      reason: 'HostNotAllowed',
      detail: "https://hooks.example.com is not allowed: the operator's list has prometheus.example.com",
    },
  ])('performHttp() sends nothing when $because', async ({ reason, detail, ...situation }) => {
    const { result, requests } = await attempt(situation);
    const refused = { result: 'failed', reason, ...(detail !== undefined && { detail }) };
    expect({ result, requests }).toEqual({ result: refused, requests: [] });
  });

  it('performHttp() follows no redirect of a metric host to what is no query', async () => {
    const answers = [{ status: 307, body: '', location: '/-/quit' }, ok];
    const { urls } = await attempt({ hosts: lists, purpose: 'metric', request: { url: query }, answers });
    expect(urls).toEqual([query]);
  });
});
