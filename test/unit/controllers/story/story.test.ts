import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCluster } from '../cluster.ts';
import { outcomeOf } from './outcome.ts';
import { stories } from './stories.ts';

// Runs the story on the real control plane first, which takes four minutes.
if (process.env['RECORD_STORY'] !== undefined) await import('./record.ts');

// The outcomes of the same stories on the real control plane (1.36.4), written by record.ts.
const outcomesIn = (file: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`${file}.json`, import.meta.url), 'utf8')) as Record<string, unknown>;

/** kwok, unlike a kubelet, does not report that the containers of a deleted pod have stopped. */
const WAITING = 'a foreground deletion waits for a pod';

const expected = (recorded: unknown, name: string): unknown => {
  const text = JSON.stringify(recorded);
  if (name !== WAITING) return JSON.parse(text);
  const finished = text.replaceAll('"phase":"Running"', '"phase":"Succeeded"');
  return JSON.parse(finished.replaceAll('"terminatingReplicas":1', '"terminatingReplicas":0'));
};

describe.for(Object.entries(stories))('a cluster with all actors, in the story %s', ([file, chapters]) => {
  const cluster = createCluster();
  const recorded = outcomesIn(file);

  it.for(chapters)('ends as the real one when $name', ({ name, namespace, seconds = 4, requests }) => {
    for (const request of requests(cluster.objects)) cluster.send(request);
    cluster.calm(seconds);
    expect(outcomeOf(cluster.objects, namespace)).toEqual(expected(recorded[name], name));
  });
});
