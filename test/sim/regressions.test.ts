import { describe, expect, it } from 'vitest';
import { simulationOf } from '#lib/sim/cluster.ts';
import { disturbanceOf } from '#lib/sim/explore/failure.ts';
import { runDisturbed, runUndisturbed } from '#lib/sim/explore/run.ts';
import { caseNamed } from './scenarios/all.ts';

/**
 * Bugs that random schedules have found in the loop and in the kinds, each with the shortest schedule that shows it.
 */
const found = [
  {
    bug: 'passes without end: two operators had contested a status, and then agreed on what the other one wrote',
    scenario: 'immortal-two-operators',
    seed: 7263,
    schedule: [
      '… operator-2 → watch immortalcontainers',
      '… admin creates node-1',
      '… operator-2 → watch nodes',
      '… operator-2 ← all pods (0)',
      '… watch silent: operator-2 watch pods',
      '… user creates immortal web',
      '… user kills the first pod',
      '… time passes',
    ],
  },
  {
    bug: 'a start counted twice: after the 404 of a pod, a watch that lagged showed the pod again',
    scenario: 'immortal-stays-suspended',
    seed: 4488,
    schedule: [
      '… operator-1 → list resourcequotas',
      '… admin creates node-1',
      '… user creates immortal web',
      '… kubelet: pod ends: {"phase":"Failed","reason":"OutOfcpu"}',
      '… operator-1 → watch resourcequotas',
      '… time passes',
      '… operator-1 ← watch resourcequotas nears its end',
      '… operator-1 ← BOOKMARK resourcequotas',
      '… operator-1 ← watch resourcequotas ends',
      '… operator-1 → watch resourcequotas',
      '… time passes',
      '… operator-1 ← watch resourcequotas nears its end',
      '… operator-1 ← BOOKMARK resourcequotas',
      '… operator-1 ← watch resourcequotas ends',
      '… user edits immortal web: {"suspend":true}',
      '… request lost: operator-1 watch pods',
      '… scheduler: bind pod default/web-immortalpod to node-1',
      '… kubelet: stop pod default/web-immortalpod',
      '… kubelet: remove pod default/web-immortalpod',
      '… answer lost: operator-1 delete pods default/web-immortalpod',
    ],
  },
  {
    bug: 'pods created over and over for a set that was replaced while its watch was down: the conflict of the status showed it',
    scenario: 'podset-recreate',
    seed: 15,
    schedule: [
      '… operator-1 ← ADDED podsets default/web',
      '… watch cut: operator-1 watch podsets',
      '… user deletes set web',
      '… user creates set web of 3',
    ],
  },
  {
    bug: 'pods created over and over for a set that was deleted while its watch was down, as there was no status to write',
    scenario: 'podset-delete-while-creating',
    seed: 1082,
    schedule: [
      '… operator-1 → patch podsets/status default/web',
      '… watch expired: operator-1 watch podsets',
      '… user deletes set web',
    ],
  },
  {
    bug: 'passes without end, and without letting anything else happen: a write whose own hold had ended waited for another',
    scenario: 'podset-taken-name',
    seed: 2,
    schedule: ['… request lost: operator-1 create pods default/web-xs8sg'],
  },
  {
    bug: "an hour's wait for a pod in the place of a failed one: the node's clock was an hour ahead of the operator's",
    scenario: 'podset-scale-up',
    seed: 9900,
    schedule: ['… clock 1h back: operator-1', '… crash: operator-1', '… kubelet: evict pod default/web-fdfhv'],
  },
  {
    bug: 'two operators contradicting each other four times a second: by the clock of one the deadline was over',
    scenario: 'podset-two-operators',
    seed: 1232,
    schedule: ['… user creates set web of 2', '… nodes: lose node-1', '… clock 1h forward: operator-2'],
  },
  {
    bug: 'an invariant that asked for what cannot be kept: a pod became ready after it had been given up as not available',
    scenario: 'canary-third-version',
    seed: 20392,
    schedule: [
      '… operator-1 → create controllerrevisions default/web-9mkc87dnzv',
      '… user asks for version 2',
      '… deployment controller: update status of default/web-9mkc87dnzv',
      '… replicaset controller: update status of default/web-9mkc87dnzv-7559b9774d',
      '… replicaset controller: update status of default/web-9mkc87dnzv-7559b9774d',
      '… deployment controller: update status of default/web-9mkc87dnzv',
      '… time passes',
    ],
  },
];

describe('a run without faults', () => {
  it('runCalmly() waits until an operator whose clock was set back has forgotten the failures of a pod', async () => {
    const { scenario } = caseNamed('immortal-vouched') ?? {};
    if (scenario === undefined) throw new Error('no scenario "immortal-vouched"');
    const simulation = simulationOf(scenario);
    const steps = [
      '… clock 1h back: operator-1',
      '… crash: operator-1',
      '… kubelet: evict pod default/web-immortalpod',
    ];
    const { problem } = await runDisturbed(simulation, disturbanceOf(steps, { isStrict: true }), {
      seed: 490,
      expected: await runUndisturbed(simulation),
    });
    expect(problem).toBeUndefined();
  });
});

describe('the operator', () => {
  it.for(found)('does not come back to: $bug', async ({ scenario, seed, schedule }) => {
    const found = caseNamed(scenario);
    if (found === undefined) throw new Error(`no scenario "${scenario}"`);
    const simulation = simulationOf(found.scenario, found.calm && { calm: found.calm });
    const expected = await runUndisturbed(simulation);
    const { problem, trace } = await runDisturbed(simulation, disturbanceOf(schedule, { isStrict: true }), {
      seed,
      expected,
    });
    expect(problem).toBeUndefined();
    expect(trace.length).toBeLessThan(expected.steps * 3);
  });
});
