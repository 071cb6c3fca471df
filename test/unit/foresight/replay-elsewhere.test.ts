import { describe, expect, it } from 'vitest';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { type Replayed, replayPass } from '#lib/foresight/replay/replay-pass.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { type PassRecord, passRecordOf } from '#lib/loop/record/pass-record.ts';
import { withoutNamespace } from '#test/unit/support/probe-town.ts';
import { dataText, reader, readerTown, textMap } from '#test/unit/support/reader-town.ts';

const Any = elsewhere(ConfigMap, { namespaces: 'any' });
const Logging = elsewhere(ConfigMap, { namespaces: ['logging'] });

/** A kind that looks up ConfigMaps in its own namespace and in all others, and shows their texts. */
const both: AnyKindDefinition = {
  ...reader(ConfigMap, Any),
  owns: [],
  desired: ({ related }) => {
    const [here, there] = [ConfigMap, Any].map((kind) => related.list(kind).map(dataText).join(' '));
    return { children: [], status: { home: 0, away: `${here} | ${there}` }, state: ready('Read', '') };
  },
};

type Town = ReturnType<typeof readerTown>;

const recordsOf = ({ decisions }: Town): readonly PassRecord[] =>
  decisions.map((decision, index) => JSON.parse(JSON.stringify(passRecordOf(decision, index + 1))) as PassRecord);

const replayed = (kind: AnyKindDefinition, records: readonly PassRecord[]): readonly Replayed[] =>
  records.map((record) => replayPass([kind], record));

const expectSame = (results: readonly Replayed[]): void => {
  expect(results.length).toBeGreaterThan(0);
  expect(results.flatMap(({ differences, unanswered }) => [differences, unanswered]).flat()).toEqual([]);
};

/** A record as earlier versions wrote it. */
const old = (record: PassRecord): PassRecord => {
  const { ownNamespace, ...rest } = record;
  expect(ownNamespace).toBe('operators');
  return { ...rest, lookups: record.lookups.map(({ question, objects }) => ({ question, objects })) };
};

describe('replayPass() of look-ups elsewhere', () => {
  it('keeps the answers of look-ups with and without elsewhere() apart, also in a record of an earlier version', async () => {
    const town = readerTown();
    town.api.put(ConfigMap, textMap('default', 'config', 'home'));
    town.put('web', { targets: [] });
    town.start(both);
    await town.settle();
    expect(town.listed('web')).toBe('home | home logging monitoring other');
    const records = recordsOf(town);
    expectSame(replayed(both, records));
    expectSame(replayed(both, records.map(old)));
  });

  it('answers another question from the objects of the same handle alone, and names the question', async () => {
    const town = readerTown();
    town.api.put(ConfigMap, textMap('default', 'config', 'home'));
    town.put('web', { targets: [] });
    town.start(both);
    await town.settle();
    const other: AnyKindDefinition = {
      ...both,
      desired: ({ related }) => {
        const away = [dataText(related.get(Any, 'other/config')), dataText(related.get(ConfigMap, 'config'))].join(
          ' | ',
        );
        return { children: [], status: { home: 0, away }, state: ready('Read', '') };
      },
    };
    const [first] = replayed(other, recordsOf(town));
    expect(first?.answer?.status).toMatchObject({ away: 'other | home' });
    expect(first?.unanswered).toEqual(['configmaps v1 elsewhere get other/config', 'configmaps v1 get default/config']);
  });

  it('repeats a pass that failed, because the operator did not observe a namespace', async () => {
    const town = readerTown((client) => withoutNamespace(client, 'logging', { logging: false }));
    town.put('web', { targets: ['logging/config'] });
    const kind = reader(Logging);
    town.start(kind);
    await town.settle();
    expect(town.stalled('web')).toMatchObject({ reason: 'UnobservedRead' });
    expectSame(replayed(kind, recordsOf(town)));
  });

  it('refuses a look-up and a child in the namespace of the operator, as the recorded pass did', async () => {
    const town = readerTown();
    const kind = reader(Any);
    const writer: AnyKindDefinition = {
      ...kind,
      kind: 'Probe',
      owns: [Any],
      desired: (seen) => ({
        ...kind.desired({ ...seen, related: { ...seen.related, get: () => undefined } }),
        children: [apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'operators', name: 'x' } })],
      }),
    };
    for (const [definition, reason] of [
      [kind, 'UndeclaredRead'],
      [writer, 'InvalidDesired'],
    ] as const) {
      town.decisions.length = 0;
      town.put(`web-${reason.toLowerCase()}`, { targets: ['operators/config'] });
      const manager = town.start(definition);
      await town.settle();
      await manager.stop();
      const records = recordsOf(town);
      expect(records.map(({ answer }) => answer.state.reason)).toContain(reason);
      expectSame(replayed(definition, records));
    }
  });
});
