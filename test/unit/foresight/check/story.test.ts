import { describe, expect, it } from 'vitest';
import { storyOf } from '#lib/foresight/check/story.ts';
import type { Failure } from '#lib/sim/explore/failure.ts';
import type { TraceEntry } from '#lib/sim/world/step/trace.ts';

const entry = (label: string, nature: TraceEntry['nature']): TraceEntry =>
  ({ atMs: 0, label, nature, outcome: '201', notes: [] }) as unknown as TraceEntry;

describe('storyOf()', () => {
  it('storyOf() names the process that sent a late request', () => {
    const trace = [
      entry('request lost: operator-1(crashed) create pods default/a', 'fault'),
      entry('operator-1(crashed) → create pods default/b', 'progress'),
    ];
    const { lines } = storyOf({ trace } as unknown as Failure);
    expect(lines).toMatchObject([
      { who: 'operator-1(crashed)', what: 'request lost: create pods default/a' },
      { who: 'operator-1(crashed)', whom: 'API server', what: 'create pods default/b' },
    ]);
  });
});
