import { defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { ConfigMap, Pod, Service } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { run } from '#lib/runtime.ts';

const labels = { app: 'gauge' };

/** A kind with every feature of a definition: mutable and immutable children, a related kind, a finalizer. */
export const gauge = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Gauge',
  spec: s.object({ level: s.int32() }),
  status: s.object({ level: s.int32(), services: s.int32() }),
  owns: [ConfigMap, Pod],
  reads: [Service],
  desired({ resource, related }) {
    const { name } = resource.metadata;
    const { level } = resource.spec;
    const spec = { containers: [{ name: 'c', image: 'busybox' }] };
    return {
      children: [
        apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { level: String(level) } }),
        ...(level > 0 ? [apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec })] : []),
      ],
      status: { level, services: related.list(Service).length },
      state: ready('Set', 'set'),
    };
  },
  finalize: ({ resource }) => ({
    children: [],
    status: { level: 0, services: resource.status?.services ?? 0 },
    state: progressing('Finalizing', 'children go first'),
  }),
});

/** An operator that runs this kind in a process of its own. */
if (import.meta.main) {
  await run({ kinds: [gauge] });
  process.exit(0);
}
