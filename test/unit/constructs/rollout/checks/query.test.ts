import { describe, expect, it } from 'vitest';
import { fillQuery, podsOf, queryUrl, unknownWord } from '#constructs/rollout/checks/query.ts';
import { runLimited } from '#lib/desired/runaway/run-limited.ts';

const words = {
  canary: '1.7.8',
  stable: '1.7.7',
  canaryHash: 'bbb',
  stableHash: 'aaa',
  canaryPods: 'CP',
  stablePods: 'SP',
  step: '2',
  percent: '30',
  name: 'web',
  namespace: 'shop',
};

describe('fillQuery()', () => {
  it('fillQuery() replaces every word, wherever and however often it stands', () => {
    const query =
      'a{v="{{canary}}",s="{{ stable }}",h="{{canaryHash}}{{stableHash}}"} / {{step}} + {{percent}} {{canary}}';
    expect(fillQuery(query, words)).toBe('a{v="1.7.8",s="1.7.7",h="bbbaaa"} / 2 + 30 1.7.8');
  });

  it('fillQuery() leaves what means nothing as it is', () => {
    expect(fillQuery('{{nobody}} {a="b"}', words)).toBe('{{nobody}} {a="b"}');
  });

  it('fillQuery() ignores white space of all kinds within the braces, and replaces nothing when braces are nested', () => {
    expect(fillQuery('{{\t\n step\u00a0}} {{{step}}} {{ {step} }} {{st ep}}', words)).toBe(
      '2 {2} {{ {step} }} {{st ep}}',
    );
  });
});

describe('unknownWord()', () => {
  it.each([
    { query: 'up{pod=~"{{canaryPods}}|{{ stablePods }}"}', word: undefined },
    { query: 'up{ns="{{namespace}}",n="{{name}}"}', word: undefined },
    { query: 'sum(rate(x[5m]))', word: undefined },
    { query: '{{canari}}', word: '{{canari}}' },
    { query: '{{constructor}}', word: '{{constructor}}' },
    { query: '{{}}', word: '{{}}' },
    { query: '{{step}} {{ st ep }}', word: '{{ st ep }}' },
    { query: '{{ step; }}', word: '{{ step; }}' },
  ])('unknownWord() is $word for $query', ({ query, word }) => {
    expect(unknownWord(query)).toBe(word);
  });

  it.each([
    { reason: 'spaces', text: ' '.repeat(100_000) },
    { reason: 'letters between spaces', text: `${' '.repeat(50_000)}${'a'.repeat(50_000)}${' '.repeat(50_000)}` },
  ])('unknownWord() does not take long when a query has braces before many $reason', ({ text }) => {
    const query = `{{${text}`;
    expect(runLimited(() => [unknownWord(query), fillQuery(query, words)], 1000)).toEqual([undefined, query]);
  });
});

describe('podsOf()', () => {
  it('podsOf() matches the pods of a Deployment and of no other', () => {
    const pattern = new RegExp(`^(?:${podsOf('web-1.7.1')})$`);
    expect(pattern.test('web-1.7.1-5d9c7bfb6c-x2x4z')).toBe(true);
    expect(pattern.test('web-1.7.10-5d9c7bfb6c-x2x4z')).toBe(false);
    expect(pattern.test('web-1a7.1-5d9c7bfb6c-x2x4z')).toBe(false);
    expect(pattern.test('other-web-1.7.1-5d9c7bfb6c-x2x4z')).toBe(false);
  });

  it('podsOf() matches pods whose name has no dash before its end, because the name of the ReplicaSet has 58 characters', () => {
    const name = 'a'.repeat(47);
    expect(new RegExp(`^(?:${podsOf(name)})$`).test(`${name}-5d9c7bfb6cx2x4z`)).toBe(true);
    expect(new RegExp(`^(?:${podsOf('web')})$`).test('web-5d9c7bfb6cx2x4z')).toBe(false);
  });
});

describe('queryUrl()', () => {
  it('queryUrl() keeps the path of the address and encodes the query', () => {
    const url = new URL(queryUrl('http://prometheus:9090/below/', 'a{b="c&d"} + 1'));
    expect(url.pathname).toBe('/below/api/v1/query');
    expect(url.searchParams.get('query')).toBe('a{b="c&d"} + 1');
    expect([...url.searchParams.keys()]).toEqual(['query']);
  });
});
