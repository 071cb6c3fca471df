import { describe, expect, it } from 'vitest';
import { humanDuration } from '#lib/apiserver/machinery/text/human-duration.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

describe('humanDuration()', () => {
  it.for([
    [-2 * SECOND, '<invalid>'],
    [-2 * SECOND + 1, '0s'],
    [0, '0s'],
    [2 * MINUTE - 1, '119s'],
    [2 * MINUTE, '2m'],
    [3 * MINUTE + 20 * SECOND, '3m20s'],
    [10 * MINUTE + SECOND, '10m'],
    [3 * HOUR - 1, '179m'],
    [3 * HOUR, '3h'],
    [7 * HOUR + 5 * MINUTE, '7h5m'],
    [8 * HOUR + MINUTE, '8h'],
    [2 * DAY - 1, '47h'],
    [2 * DAY + 3 * HOUR, '2d3h'],
    [8 * DAY + HOUR, '8d'],
    [2 * YEAR - 1, '729d'],
    [2 * YEAR, '2y'],
    [3 * YEAR + 2 * DAY, '3y2d'],
    [8 * YEAR + DAY, '8y'],
  ] as const)('humanDuration() writes %d ms as kubectl does: %s', ([ms, text]) => {
    expect(humanDuration(ms)).toBe(text);
  });
});
