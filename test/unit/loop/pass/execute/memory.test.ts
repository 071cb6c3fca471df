import { describe, expect, it } from 'vitest';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { inspectMemory, type Remembering } from '#lib/loop/context/memory.ts';
import { doubtsSlot } from '#lib/loop/pass/doubts.ts';
import { fightsSlot } from '#lib/loop/pass/execute/fights.ts';
import { immutablesSlot, pinsSlot, rememberImmutable } from '#lib/loop/pass/execute/pins.ts';
import { childOf } from '#test/unit/support/plan-inputs.ts';

const place = { key: keyOf('default', 'web'), uid: 'u' };

/** The memory of one resource in a bug report, after the change of a slot. */
const shownAfter = (change: (memory: Remembering) => void): unknown => {
  const memory: Remembering = { memory: new Map() };
  change(memory);
  return inspectMemory(memory)['default/web'];
};

describe('inspectMemory()', () => {
  it('inspectMemory() shows the hash of the intent and of the fields for each pin', () => {
    const owned = { set: { id: 'fields', tree: {} }, values: 7 };
    const pins = new Map([
      ['a', { intent: 'one', owned }],
      ['b', { intent: 'two' }],
    ]);
    expect(shownAfter((memory) => pinsSlot.set(memory, place, pins))).toEqual({
      uid: 'u',
      pins: { a: 'one fields 7', b: 'two - -' },
    });
  });

  it('inspectMemory() shows refused intents, without those of children that are gone', () => {
    const children = [childOf(Pod, 'a'), childOf(ConfigMap, 'a')];
    const shown = shownAfter((memory) => {
      for (const uid of ['uid-pods-a', 'gone', 'uid-configmaps-a'])
        rememberImmutable(memory, { ...place, children }, { uid, immutable: { intent: uid, fields: [] } });
    });
    const immutables = {
      'uid-pods-a': { intent: 'uid-pods-a', fields: [] },
      'uid-configmaps-a': { intent: 'uid-configmaps-a', fields: [] },
    };
    expect(shown).toEqual({ uid: 'u', immutables });
  });

  it('inspectMemory() shows fights and children in doubt, and nothing for empty slots', () => {
    const fight = { kind: 'Pod', name: 'a', level: 1, at: 0, rounds: 0, text: '', isOverride: false };
    const shown = shownAfter((memory) => {
      fightsSlot.set(memory, place, new Map([['u f', fight]]));
      doubtsSlot.set(memory, place, [{ kind: Pod, name: 'a' }]);
      immutablesSlot.set(memory, place, new Map());
    });
    expect(shown).toEqual({ uid: 'u', fights: { 'u f': fight }, doubts: ['Pod a'] });
  });
});
