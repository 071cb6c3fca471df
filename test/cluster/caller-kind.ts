import { defineKind } from '#lib/desired/definition.ts';
import type { Effect } from '#lib/desired/result/desired.ts';
import { ready } from '#lib/desired/result/state.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';

/** Requests the effects of its spec, and reports their outcomes. */
export const caller = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Caller',
  spec: s.object(
    { effects: s.string({ maxLength: 10_000, description: 'JSON.' }) },
    { description: 'What to ask for.' },
  ),
  status: s.object(
    { outcomes: s.stringMap({ maxProperties: 99, values: { maxLength: 4096 }, description: 'In words, by key.' }) },
    { description: 'What came of it.' },
  ),
  owns: [Pod],
  desired({ resource, outcomes }) {
    const effects = JSON.parse(resource.spec.effects) as Effect[];
    const words = effects.map(({ effect, key }) => {
      const outcome = effect === 'http' ? outcomes.http(key) : outcomes.dryRun(key);
      if (outcome.state === 'failed') return [key, `failed ${outcome.reason}`];
      if (outcome.state !== 'succeeded') return [key, outcome.state];
      const { value } = outcome;
      return [key, 'status' in value ? `${value.status} ${value.body.length}` : `${value.accepted} ${value.message}`];
    });
    return { children: [], status: { outcomes: Object.fromEntries(words) }, state: ready('Asked', 'asked'), effects };
  },
});
