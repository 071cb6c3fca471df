import { type PackedRun, unpackRun } from '#lib/foresight/page/packed-run.ts';
import { pageHtml } from '#lib/foresight/page/page-html.ts';
import type { ReportEvent, ReportField, ReportRun } from '#lib/foresight/page/report-run.ts';
import { RunRecorder } from '#lib/foresight/page/run-recorder.ts';
import { simulationRun } from '#lib/foresight/page/runs/simulation-run.ts';
import type { Script } from '#lib/foresight/simulate/script/script.ts';
import { simulate } from '#lib/foresight/simulate/simulate.ts';
import type { JsonObject } from '#lib/json.ts';
import { kinds } from '../simulate/stories.ts';

/** The run of a simulation with the kinds of the stories. */
export const simulatedRun = async (manifests: readonly JsonObject[], script: Script = {}): Promise<ReportRun> => {
  const listener = new RunRecorder();
  return simulationRun(await simulate({ kinds, manifests, script, listener }), listener);
};

/** The run that a page contains. */
export const runInPage = (html: string): ReportRun => {
  const [, data = ''] = /<script type="application\/json" id="run">(.*?)<\/script>/s.exec(html) ?? [];
  return unpackRun(JSON.parse(data) as PackedRun);
};

export const pageOf = (run: Partial<ReportRun>): string =>
  pageHtml({ verb: 'simulate', title: 'A run', facts: [], notes: [], durationMs: 0, objects: [], events: [], ...run });

const POD_STATES = [
  ['created', 'busy'],
  ['ready', 'calm'],
  ['not ready', 'bad'],
] as const;

/**
 * A run of any size with one resource for each 50 pods. Pods are created, change, and are deleted, so that at most 500 of them
 * exist at the same time.
 */
export const largeRun = (count: number): ReportRun => {
  const objects = [{ kind: 'PodSet', namespace: 'default', name: 'set-0' }];
  const events: ReportEvent[] = [
    { atMs: 0, sort: 'write', who: 'user', object: 0, what: 'created', effect: 'created' },
  ];
  const alive: number[] = [];
  const values = new Map<string, string>();
  const changed = (object: number, index: number): readonly ReportField[] =>
    [
      ['status.phase', index % 3 === 0 ? 'Pending' : 'Running'],
      ['status.conditions[type=Ready].status', index % 2 === 0 ? 'True' : 'False'],
      ['metadata.annotations.note', String(index)],
    ].flatMap(([path = '', after = '']): ReportField[] => {
      const before = values.get(`${object} ${path}`) ?? null;
      values.set(`${object} ${path}`, after);
      return before === after ? [] : [[path, before, after]];
    });
  while (events.length < count) {
    const index = events.length;
    const common = {
      atMs: index * 100,
      sort: 'write',
      who: index % 2 === 0 ? 'operator-1' : 'kubelet',
      cause: index - 1,
    };
    if (index % 5 === 1 && alive.length < 500) {
      alive.push(objects.length);
      objects.push({ kind: 'Pod', namespace: 'default', name: `pod-${objects.length}` });
      const object = objects.length - 1;
      events.push({
        ...common,
        object,
        what: 'created',
        why: 'Missing',
        effect: 'created',
        owner: 0,
        state: ['created', 'busy'],
        fields: changed(object, index),
      });
    } else if (index % 23 === 0 && alive.length > 300) {
      events.push({ ...common, object: alive.shift() ?? 0, what: 'gone', effect: 'deleted' });
    } else {
      const object = alive[(index * 7) % Math.max(1, alive.length)] ?? 0;
      const state = POD_STATES[index % 3] ?? POD_STATES[0];
      events.push({ ...common, object, what: state[0], effect: 'changed', state, fields: changed(object, index) });
    }
  }
  return { verb: 'simulate', title: `${count} events`, facts: [], notes: [], durationMs: count * 100, objects, events };
};
