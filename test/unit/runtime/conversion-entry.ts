import { threadId } from 'node:worker_threads';
import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { VersionShape } from '#lib/kind/shape.ts';
import { between } from '#lib/kind/versions/between.ts';
import { isConversionThread } from '#lib/runtime/conversion/thread.ts';
import { run } from '#lib/runtime.ts';

const version = (name: string) =>
  ({
    version: name,
    spec: s.object({ text: s.string(), thread: s.optional(s.int32()) }),
    status: s.object({}),
  }) satisfies VersionShape;

const misbehave: Readonly<Record<string, () => void>> = {
  exit: () => process.exit(3),
  memory: () => {
    const held: number[][] = [];
    for (;;) held.push(Array.from<number>({ length: 5_000_000 }).fill(1.5));
  },
};

/** A kind whose conversion reports its thread. */
export const threaded = defineKind({
  group: 'demo.example.com',
  kind: 'Threaded',
  ...version('v2'),
  versions: [
    between(version('v1'), version('v2'), {
      up: ({ spec: { text } }) => {
        misbehave[text]?.();
        return { spec: { text, thread: threadId }, status: {} };
      },
      down: ({ spec: { text, thread } }) => ({ spec: { text, ...(thread !== undefined && { thread }) }, status: {} }),
    }),
  ],
  owns: [],
  desired: () => ({ children: [], status: {}, state: ready('Done', '') }),
});

if (isConversionThread()) await run({ kinds: [threaded] });
