import { type RefusedBy, RefusedCrowd } from '#test/unit/support/refused-crowd.ts';
import { atMost, type Row } from '../report/measure.ts';

/** Refused creates: `perSecond` by the whole operator after the first burst, `ofOne` for one resource in its first 15 s. */
const GOALS: Readonly<Record<RefusedBy, { readonly perSecond: number; readonly ofOne: number }>> = {
  quota: { perSecond: 10, ofOne: 8 },
  policy: { perSecond: 10, ofOne: 2 },
};
const RESOURCES = { default: 300, a: 50, b: 50 };
const PODS = 5;
const FIRST_MS = 15_000;
const WINDOW_MS = 120_000;

const measureBy = async (by: RefusedBy): Promise<readonly Row[]> => {
  const crowd = new RefusedCrowd({ by, resources: RESOURCES, pods: PODS });
  crowd.start();
  await crowd.timers.advance(WINDOW_MS);
  await crowd.stop();
  const [perSecond, ofOne] = [crowd.mostPerSecond(0), crowd.mostOfOne(FIRST_MS)];
  const what = `400 resources of ${PODS} pods refused by ${by}`;
  const figures = { refused: crowd.refused.length, windowMs: WINDOW_MS, resources: RESOURCES };
  const row = (measure: string, value: number, goal: number): Row => ({
    id: 'P12',
    measure: `${what}: ${measure}`,
    goal: `≤ ${goal}`,
    result: String(value),
    headline: value,
    ...atMost(value, goal),
    figures,
  });
  return [
    row('refused creates in the worst second after the first burst', perSecond, GOALS[by].perSecond),
    row('of one resource in its first 15 s, at most', ofOne, GOALS[by].ofOne),
  ];
};

/** Counts the refused creates of several hundred resources, in virtual time. */
export const measureP12 = async (): Promise<readonly Row[]> => [
  ...(await measureBy('quota')),
  ...(await measureBy('policy')),
];
