import { describe, expect, it } from 'vitest';

import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { filtered } from '#test/unit/support/labelled-kind.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { probe } from '#test/unit/support/probe-kind.ts';
import { quotaExceeded } from '#test/unit/support/server-answers.ts';

interface Case {
  readonly why: string;
  readonly books: readonly string[];
  readonly refused: readonly string[];
  readonly mayProbe: boolean;
  readonly told: readonly string[];
}

/** A shelf with a note, of which a quota refuses the pods, after the hold has ended. The note needs a correction. */
const held = async (books: readonly string[]): Promise<LoopBench> => {
  const bench = new LoopBench(filtered);
  bench.declare('shelf', { books });
  bench.api.refuse = ({ verb, resource, name }) =>
    verb === 'create' && resource === 'pods' ? quotaExceeded(name) : undefined;
  await bench.pass('shelf');
  bench.api.edit(ConfigMap, 'c', (note) => ({ ...note, data: { a: 'theirs' } }));
  bench.catchUp();
  await bench.timers.advance(10_000);
  return bench;
};

/** Records the calls of a pass, and decides the turn. */
const recordTurns = ({ context: { probes } }: LoopBench, mayProbe: boolean): string[] => {
  const told: string[] = [];
  Object.assign(probes, {
    mayProbe: (key: string) => {
      told.push(`mayProbe ${key}`);
      return mayProbe;
    },
    accepted: () => void told.push('accepted'),
    forget: (key: string) => void told.push(`forget ${key}`),
  });
  return told;
};

const ASKED = 'mayProbe default/shelf';

describe('execute() and the turns of probes', () => {
  it.each<Case>([
    { why: 'the pod is accepted', books: ['a'], refused: [], mayProbe: true, told: [ASKED, 'accepted'] },
    { why: 'the pod is refused', books: ['a'], refused: ['a'], mayProbe: true, told: [ASKED] },
    { why: 'one of two pods is refused', books: ['a', 'b'], refused: ['a'], mayProbe: true, told: [ASKED] },
    {
      why: 'one of two pods, and the correction of the note, are refused',
      books: ['a', 'b'],
      refused: ['a', 'c'],
      mayProbe: true,
      told: [ASKED],
    },
    { why: 'the resource has no turn', books: ['a', 'b'], refused: [], mayProbe: false, told: [ASKED] },
  ])('execute() calls $told when $why', async ({ books, refused, mayProbe, told }) => {
    const bench = await held(books);
    bench.api.refuse = ({ name, verb }) =>
      ['create', 'apply'].includes(verb) && refused.includes(name) ? quotaExceeded(name) : undefined;
    const calls = recordTurns(bench, mayProbe);
    await bench.pass('shelf');
    expect(calls).toEqual(told);
    const pods = bench.api.all(Pod).map(({ metadata }) => metadata.name);
    expect(pods).toEqual(mayProbe ? books.filter((name) => !refused.includes(name)) : []);
  });

  it('execute() gives up the turn of a resource that needs none', async () => {
    const bench = new LoopBench(filtered);
    bench.declare('shelf', { books: ['a'] });
    const calls = recordTurns(bench, true);
    await bench.pass('shelf');
    expect(calls).toEqual(['forget default/shelf']);
  });
});

it.each([
  { namespaces: ['default', 'monitoring', 'logging'], sent: 3 },
  { namespaces: ['default', 'monitoring'], sent: 1 },
])(
  'attemptAll() sends $sent creates at first when creates were accepted in $namespaces',
  async ({ namespaces, sent }) => {
    const bench = new LoopBench(probe);
    for (const name of ['monitoring', 'logging']) bench.api.makeNamespace(name);
    bench.declare('p', { text: 'a', targets: ['monitoring', 'logging'] });
    for (const name of namespaces) bench.context.probes.noteCreates(name, 'ConfigMap', { refused: false });
    bench.api.refuse = ({ verb, name }) => (verb === 'apply' ? quotaExceeded(name) : undefined);
    await bench.pass('p');
    await bench.pass('p');
    expect(bench.api.writes.filter(({ resource }) => resource === 'configmaps')).toHaveLength(sent);
  },
);
