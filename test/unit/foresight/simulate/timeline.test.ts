import { describe, expect, it } from 'vitest';
import { timelineText } from '#lib/foresight/simulate/report/timeline-text.ts';
import { simulate } from '#lib/foresight/simulate/simulate.ts';
import { progressing, type State, stalled } from '#lib/index.ts';
import { resourceOf, website } from '#test/unit/foresight/served/portal.ts';
import { get } from '#test/unit/support/effects-bench.ts';

/** The lines of a timeline about the state of a kind whose message is the state of an HTTP effect, which ends soon. */
const statusLines = async (stateOf: (message: string) => State): Promise<readonly string[]> => {
  const desired: typeof website.desired = (seen) => ({
    children: [],
    status: {},
    state: stateOf(`the request is ${seen.outcomes.http('a').state}`),
    effects: [get('a')],
  });
  const script = { http: [{ url: 'https://api.example.com/*' }] };
  const report = await simulate({ kinds: [{ ...website, desired }], manifests: [resourceOf('Website')], script });
  return timelineText(report)
    .split('\n')
    .filter((line) => line.includes('the request is'));
};

describe('timelineText()', () => {
  it('timelineText() shows the last message of a moment when the state has the same reason', async () => {
    expect(await statusLines((message) => progressing('Writing', message))).toEqual([
      '0:00:00   Website example  Writing: the request is succeeded',
    ]);
  });

  it('timelineText() shows the last message of a moment when a failure has the same reason', async () => {
    expect(await statusLines((message) => stalled('Failed', message))).toEqual([
      '0:00:00 ! Website example  Failed: the request is succeeded',
    ]);
  });
});
