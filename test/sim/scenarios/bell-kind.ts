import { defineKind, type Resource } from '#lib/desired/definition.ts';
import type { Outcomes } from '#lib/desired/observation.ts';
import type { Effect } from '#lib/desired/result/desired.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';

/** The server of the bells. */
export const TOWER = 'tower.example.com';

const spec = s.object({ rings: s.int32({ minimum: 0, maximum: 5, description: 'How often it is to ring.' }) });

const status = s.object({
  accepted: s.boolean({ description: 'Whether the API server would take its rope.' }),
  rung: s.int32({ minimum: 0, description: 'How often it has rung.' }),
});

type Bell = Resource<typeof spec, typeof status>;

const http = (key: string): Effect => ({
  effect: 'http',
  key,
  request: { method: 'POST', url: `https://${TOWER}/${key.slice(0, key.indexOf('-'))}`, body: JSON.stringify({ key }) },
  timeoutSeconds: 60,
  // A failed effect would be final for its key. Ten attempts are more than the faults of a schedule can spoil.
  retries: 10,
});

const rope = ({ metadata: { name } }: Bell) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `${name}-rope` },
  data: { metres: '12' },
});

const isAccepted = (bell: Bell, outcomes: Outcomes): boolean => {
  if (bell.status?.accepted === true) return true;
  const outcome = outcomes.dryRun('rope');
  return outcome.state === 'succeeded' && outcome.value.accepted;
};

/** Bells ring one after the other: the status has those that have rung, and the outcomes the current one. */
const rungOf = (bell: Bell, outcomes: Outcomes): number => {
  const rung = bell.status?.rung ?? 0;
  return outcomes.http(`ring-${rung + 1}`).state === 'succeeded' ? rung + 1 : rung;
};

const nextEffects = (bell: Bell, { accepted, rung }: { accepted: boolean; rung: number }): readonly Effect[] => {
  if (!accepted) return [{ effect: 'dryRun', key: 'rope', object: rope(bell) }];
  return rung < bell.spec.rings ? [http(`ring-${rung + 1}`)] : [];
};

/**
 * A kind that sends requests to the API server, then to another server as often as its spec says, and one more before
 * its deletion.
 */
export const bell = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Bell',
  spec,
  status,
  owns: [ConfigMap],
  desired({ resource, outcomes }) {
    const now = { accepted: isAccepted(resource, outcomes), rung: rungOf(resource, outcomes) };
    const effects = nextEffects(resource, now);
    const state = effects.length === 0 ? ready('Rung', 'it has rung') : progressing('Ringing', 'it rings');
    return { children: [], status: now, state, effects };
  },
  finalize({ resource, outcomes }) {
    const isSaid = outcomes.http('goodbye-1').state === 'succeeded';
    const { accepted = false, rung = 0 } = resource.status ?? {};
    return {
      children: [],
      status: { accepted, rung },
      state: progressing('Leaving', 'it says goodbye'),
      effects: isSaid ? [] : [http('goodbye-1')],
    };
  },
});
