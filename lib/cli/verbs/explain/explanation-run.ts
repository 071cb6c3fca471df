import type { ReportEvent, ReportRun } from '#lib/foresight/page/report-run.ts';
import type { Explanation } from './explanation.ts';
import type { NextPass } from './next-pass.ts';

const passEvents = (who: string, { unknown, steps }: NextPass): readonly ReportEvent[] =>
  (unknown === undefined ? steps : [`cannot be computed here: ${unknown}`]).map((what) => ({
    atMs: 0,
    sort: 'pass',
    who,
    what,
  }));

/** The data of a report page about an explanation. */
export const explanationRun = (explanation: Explanation): ReportRun => {
  const { object, isReady, message, causes, warnings, nextPass, extensions = {}, next } = explanation;
  return {
    verb: 'explain',
    title: `${object} is ${isReady ? 'ready' : 'not ready'}`,
    facts: message === '' ? [] : [message],
    notes: next.map((step) => `Next: ${step}`),
    durationMs: 0,
    objects: [],
    events: [
      ...causes.map(
        ({ where, why, next: remedy }): ReportEvent => ({
          atMs: 0,
          sort: 'cause',
          who: where,
          what: why,
          ...(remedy !== '' && { why: remedy }),
          isBad: true,
        }),
      ),
      ...warnings.map(
        (warning): ReportEvent => ({
          atMs: 0,
          sort: 'event',
          who: warning.where,
          what: warning.message,
          why: warning.reason,
          isBad: true,
        }),
      ),
      ...(nextPass === undefined ? [] : passEvents('next pass', nextPass)),
      ...Object.entries(extensions).flatMap(([name, pass]) => passEvents(`next pass of ${name}`, pass)),
    ],
  };
};
