import { countText } from '#lib/foresight/simulate/report/count-text.ts';
import type { SimulationReport } from '#lib/foresight/simulate/report/report.ts';
import { durationText } from '#lib/foresight/simulate/script/time-text.ts';
import { boundedEvents } from '../bounded-events.ts';
import { withCauses } from '../causes.ts';
import type { ReportRun } from '../report-run.ts';
import type { RunRecorder } from '../run-recorder.ts';

/**
 * The data of a report page about a simulation.
 *
 * @param report - the result of the simulation
 * @param recorder - the listener of the same simulation
 */
export const simulationRun = (
  report: SimulationReport,
  { events, objects }: Pick<RunRecorder, 'events' | 'objects'>,
): ReportRun => {
  const bounded = boundedEvents(withCauses(events));
  const sent = Object.entries(report.requests).flatMap(([who, verbs]) =>
    who.startsWith('operator') ? Object.values(verbs) : [],
  );
  const requests = sent.reduce((sum, count) => sum + count, 0);
  return {
    verb: 'simulate',
    title: report.title,
    facts: [
      `${durationText(report.durationMs)} simulated, seed ${report.seed}`,
      `${countText(events.length, 'event')}, ${countText(objects.length, 'object')}`,
      `the operator sent ${requests} requests`,
    ],
    notes: [...report.notes, ...bounded.notes],
    durationMs: report.durationMs,
    objects,
    events: bounded.events,
  };
};
