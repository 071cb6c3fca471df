import { defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { run } from '#lib/runtime.ts';

/** A kind whose function loops forever while the spec says so, and a kind with an unhandled rejection. */
export const looper = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Looper',
  spec: s.object({ loops: s.boolean(), rejects: s.optional(s.boolean()) }),
  status: s.object({ done: s.boolean() }),
  owns: [ConfigMap],
  desired({ resource }) {
    // oxlint-disable-next-line no-empty, no-unmodified-loop-condition
    while (resource.spec.loops) {}
    if (resource.spec.rejects) void Promise.reject(new Error('nobody catches this'));
    return {
      children: [apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: resource.metadata.name } })],
      status: { done: true },
      state: ready('Done', 'done'),
    };
  },
});

/** An operator that runs this kind in a process of its own. */
if (import.meta.main) {
  try {
    await run({ kinds: [looper] });
    process.exit(0);
  } catch {
    process.exit(1);
  }
}
