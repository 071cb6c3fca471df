import { describe, expect, it } from 'vitest';
import {
  asksForInitialEvents,
  initialEventsCollector,
  questionOf,
  resumedAfter,
} from '#test/fault-proxy/initial-events.ts';

const target =
  '/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=&timeoutSeconds=301';
const added = JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a', resourceVersion: '3' } } });
const end = JSON.stringify({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: '7', annotations: { 'k8s.io/initial-events-end': 'true' } } },
});

describe('initialEventsCollector()', () => {
  it('gives all events at the bookmark that ends them, and nothing afterwards', () => {
    const collect = initialEventsCollector();
    expect([added, end, added].map(collect)).toEqual([undefined, `${added}\n${end}\n`, undefined]);
  });
});

describe('questionOf()', () => {
  it('is the same for watches that differ in their time only', () => {
    expect(questionOf(target)).toBe(questionOf(target.replace('301', '599')));
    expect(questionOf(target)).not.toBe(questionOf(target.replace('pods', 'podsets')));
  });
});

describe('resumedAfter()', () => {
  it('asks for an ordinary watch from the version that the initial events reached', () => {
    const resumed = resumedAfter(target, `${added}\n${end}\n`);
    expect(asksForInitialEvents(target)).toBe(true);
    expect(asksForInitialEvents(resumed)).toBe(false);
    expect(new URL(resumed, 'https://x').searchParams.get('resourceVersion')).toBe('7');
    expect(resumed).not.toContain('resourceVersionMatch');
  });
});
