import type { State } from '#lib/desired/result/state.ts';
import type { Replayed } from '#lib/foresight/replay/replay-pass.ts';
import { reportFieldsOf } from '../field-values.ts';
import type { ReportEvent, ReportMood, ReportObject, ReportRun } from '../report-run.ts';

const MOODS: Readonly<Record<State['state'], ReportMood>> = { ready: 'calm', progressing: 'busy', stalled: 'bad' };

const wordsOf = ({ refused, differences, answer, unanswered }: Replayed): string => {
  if (refused !== undefined) return `cannot be replayed: ${refused}`;
  const count = differences.length;
  const same = count === 0 ? 'the same answer' : `another answer than recorded: ${count} differences`;
  const asked = unanswered.length === 0 ? '' : `; the record does not answer ${unanswered.join(', ')}`;
  return `${answer?.state.state ?? 'no state'}: ${same}${asked}`;
};

/** The data of a report page about replayed passes. */
export const replayRun = (passes: readonly Replayed[]): ReportRun => {
  const ordered = passes.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const startMs = Date.parse(ordered[0]?.at ?? '') || 0;
  const endMs = Date.parse(ordered.at(-1)?.at ?? '') || startMs;
  const indexes = new Map<string, number>();
  const objects: ReportObject[] = [];
  const events = ordered.map((pass): ReportEvent => {
    const { kind, key, answer, differences, refused } = pass;
    let object = indexes.get(`${kind} ${key}`);
    const isNew = object === undefined;
    if (object === undefined) {
      indexes.set(`${kind} ${key}`, (object = objects.length));
      const [name = '', namespace] = key.split('/').toReversed();
      objects.push({ kind, name, ...(namespace && { namespace }) });
    }
    const state = answer?.state;
    return {
      atMs: (Date.parse(pass.at) || startMs) - startMs,
      sort: 'pass',
      who: `pass ${pass.pass}`,
      object,
      what: wordsOf(pass),
      effect: isNew ? 'created' : 'changed',
      ...(state?.reason !== undefined && { why: state.reason }),
      ...((differences.length > 0 || refused !== undefined) && { isBad: true }),
      ...(state !== undefined && {
        state: [`${state.state}${state.reason === undefined ? '' : ` · ${state.reason}`}`, MOODS[state.state]],
      }),
      ...(differences.length > 0 && { fields: reportFieldsOf(differences) }),
    };
  });
  const differing = passes.filter(({ differences }) => differences.length > 0).length;
  return {
    verb: 'replay',
    title: 'Replayed passes',
    facts: [`${passes.length} passes`, `${differing} with another answer than recorded`],
    notes: [],
    durationMs: endMs === startMs ? 0 : endMs - startMs + 1,
    objects,
    events,
  };
};
