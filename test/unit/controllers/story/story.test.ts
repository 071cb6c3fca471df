import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCluster } from '../cluster.ts';
import { chapters } from './chapters.ts';
import { outcomeOf } from './outcome.ts';

// Runs the story on the real control plane first, which takes four minutes.
if (process.env['RECORD_STORY'] !== undefined) await import('./record.ts');

// The outcome of the same story on the real control plane (1.36.4), written by record.ts.
const recorded = JSON.parse(readFileSync(new URL('recorded.json', import.meta.url), 'utf8')) as Record<string, unknown>;

/** kwok, unlike a kubelet, does not report that the containers of a deleted pod have stopped. */
const WAITING = 'a foreground deletion waits for a pod';

const expected = (name: string): unknown => {
  const text = JSON.stringify(recorded[name]);
  if (name !== WAITING) return JSON.parse(text);
  const finished = text.replaceAll('"phase":"Running"', '"phase":"Succeeded"');
  return JSON.parse(finished.replaceAll('"terminatingReplicas":1', '"terminatingReplicas":0'));
};

describe('a cluster with all actors', () => {
  const cluster = createCluster();

  it.for(chapters)('ends as the real one when $name', ({ name, namespace, seconds = 4, requests }) => {
    for (const request of requests(cluster.objects)) cluster.send(request);
    cluster.calm(seconds);
    expect(outcomeOf(cluster.objects, namespace)).toEqual(expected(name));
  });
});
