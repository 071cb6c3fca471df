import { listIn, numberIn, objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import { humanDuration } from '#lib/apiserver/machinery/text/human-duration.ts';
import type { JsonObject } from '#lib/json.ts';
import { ageCell } from './ages.ts';
import { nameColumn, type Printer, shownCell } from './column.ts';
import { WIDE, wideCells } from './workloads.ts';

const completionsCell = (spec: JsonObject, status: JsonObject): string => {
  const [succeeded, parallelism] = [numberIn(status, 'succeeded'), numberIn(spec, 'parallelism')];
  if (typeof spec['completions'] === 'number') return `${succeeded}/${spec['completions']}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
};

const durationCell = ({ startTime, completionTime }: JsonObject, nowMs: number): string => {
  if (typeof startTime !== 'string') return '';
  const end = typeof completionTime === 'string' ? Date.parse(completionTime) : nowMs;
  return humanDuration(end - Date.parse(startTime));
};

const statusCell = (metadata: JsonObject, status: JsonObject): string => {
  const has = (type: string): boolean =>
    listIn(status, 'conditions').find((condition) => condition['type'] === type)?.['status'] === 'True';
  const end = ['Complete', 'Failed'].find(has);
  if (end !== undefined) return end;
  if (metadata['deletionTimestamp'] !== undefined) return 'Terminating';
  if (has('Suspended')) return 'Suspended';
  return ['FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
};

/** The table of Jobs. */
export const jobPrinter: Printer = {
  columns: [
    nameColumn,
    shownCell('Status'),
    shownCell('Completions'),
    shownCell('Duration'),
    shownCell('Age'),
    ...WIDE,
  ],
  cells: (object, nowMs) => {
    const [metadata, spec, status] = [
      objectIn(object, 'metadata'),
      objectIn(object, 'spec'),
      objectIn(object, 'status'),
    ];
    return [
      textIn(metadata, 'name'),
      statusCell(metadata, status),
      completionsCell(spec, status),
      durationCell(status, nowMs),
      ageCell(metadata['creationTimestamp'], nowMs),
      ...wideCells(object),
    ];
  },
};

/** The table of CronJobs. */
export const cronJobPrinter: Printer = {
  columns: [
    nameColumn,
    shownCell('Schedule'),
    shownCell('Timezone'),
    shownCell('Suspend', 'boolean'),
    shownCell('Active', 'integer'),
    shownCell('Last Schedule'),
    shownCell('Age'),
    ...WIDE,
  ],
  cells: (object, nowMs) => {
    const [metadata, spec, status] = [
      objectIn(object, 'metadata'),
      objectIn(object, 'spec'),
      objectIn(object, 'status'),
    ];
    const last = status['lastScheduleTime'];
    return [
      textIn(metadata, 'name'),
      textIn(spec, 'schedule'),
      textIn(spec, 'timeZone') || '<none>',
      spec['suspend'] === true ? 'True' : 'False',
      listIn(status, 'active').length,
      last === undefined ? '<none>' : ageCell(last, nowMs),
      ageCell(metadata['creationTimestamp'], nowMs),
      ...wideCells(objectIn(spec, 'jobTemplate')),
    ];
  },
};
