import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigMap, type KindRef } from '#lib/kind/handles/reference.ts';
import type { WrittenObject } from './fake-api.ts';
import { probe } from './probe-kind.ts';
import { Probe, probeTown } from './probe-town.ts';

/** The text of a ConfigMap; empty for no object. */
export const dataText = (object: unknown): string =>
  (object as { readonly data?: { readonly text?: string } } | undefined)?.data?.text ?? '';

/** A kind that copies the texts of the objects that its spec names into a ConfigMap, and lists the names of all others. */
export const reader = (...reads: KindRef[]): AnyKindDefinition => ({
  ...(probe as unknown as AnyKindDefinition),
  owns: [ConfigMap],
  reads,
  desired: ({ resource, related }) => {
    const { targets } = resource.spec as { readonly targets: readonly string[] };
    const kind = reads.at(-1) as KindRef;
    const found = targets.map((name) => dataText(related.get(kind, name)));
    const all = related.list(kind).map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
    return {
      children: [
        apply({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: resource.metadata.name },
          data: { text: found.join(' ') },
        }),
      ],
      status: { home: 0, away: all.join(' ') },
      state: ready('Read', ''),
    };
  },
});

/** A ConfigMap with a text. */
export const textMap = (namespace: string, name: string, text: string): WrittenObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data: { text },
});

/** A {@link probeTown} with a ConfigMap in each namespace but `default`, and views of the resources of a {@link reader}. */
export const readerTown = (...rest: Parameters<typeof probeTown>) => {
  const made = probeTown(...rest);
  const { api } = made;
  for (const namespace of ['monitoring', 'logging', 'other'])
    api.put(ConfigMap, textMap(namespace, 'config', namespace));
  return {
    ...made,
    copied: (name: string): string => dataText(api.all(ConfigMap).find(({ metadata }) => metadata.name === name)),
    listed: (name: string): unknown => (api.one(Probe, name)['status'] as { readonly away?: string } | undefined)?.away,
    stalled: (name: string) => made.ready(name).find(({ type }) => type === 'Stalled'),
  };
};
