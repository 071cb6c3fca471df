import { describe, expect, it } from 'vitest';
import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import type { Observation } from '#lib/desired/observation.ts';
import { keep, remove } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { ImpureFunctionError, UndeclaredReadError } from '#lib/errors.ts';
import { ConfigMap, Pod, reading } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { simulationOf } from '#lib/sim/cluster.ts';
import { explore } from '#lib/sim/explore/explore.ts';
import type { Scenario, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import { runner } from '#test/examples/runner.ts';
import { scenario as runnerScenario } from '#test/examples/runner-simulation.ts';

type Seen = Observation<AnyResource>;

/** The kind of the README, with a function that reads more of its input. */
const lookingAt = (look: (seen: Seen) => unknown, more: Partial<AnyKindDefinition> = {}): AnyKindDefinition => ({
  ...runner,
  ...more,
  desired: (seen) => {
    look(seen);
    return runner.desired(seen);
  },
});

const scenarioOf = (kind: AnyKindDefinition, more: Partial<Scenario> = {}): Scenario => ({
  ...runnerScenario,
  kinds: [kind],
  ...more,
});

const explored = async (scenario: Scenario): Promise<unknown> =>
  explore(simulationOf(scenario), { seeds: [1] }).then(
    ({ failures }) => failures,
    (error: unknown) => error,
  );

const nodeOf = ({ children }: Seen): unknown => children.of(Pod).map((pod) => Reflect.get(pod, 'spec') as unknown);

const addressOf = ({ children }: Seen): unknown =>
  children.of(Pod).map((pod) => pod.status && (Reflect.get(pod.status, 'podIP') as unknown));

const unchecked: Scenario['start'] = (options) => startManager({ ...options, checksFunctions: false });

const createPod: ScriptStep = {
  label: 'user creates a pod',
  run: (user) => {
    const metadata = { name: 'other', namespace: 'default', labels: { app: 'other' } };
    const spec = { containers: [{ name: 'main', image: 'busybox' }] };
    user.create(Pod, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  },
};

const withPod: Partial<Scenario> = {
  script: [createPod, ...runnerScenario.script],
  invariants: () => [],
  outcome: () => null,
};

describe('explore(), looks at fields that are not declared', () => {
  it('explore() fails, and says how to declare it, when a function looks at spec.nodeName of a Pod', async () => {
    const error = (await explored(scenarioOf(lookingAt(nodeOf)))) as Error;
    expect(error.message).toContain('desired() of Runner failed for default/hello: Cannot read spec of a Pod');
    expect(error.message).toContain('keeps metadata, status.phase, status.conditions of a Pod');
    expect(error.message).toContain("reading(Pod, ['spec'])");
    expect(error.message).toMatch(/scenario "runner", seed 0, step \d+/);
    expect(error.cause).toBeInstanceOf(UndeclaredReadError);
  });

  it('explore() fails although another kind of the same process reads the field', async () => {
    const other = { ...runner, kind: 'Jogger', plural: 'joggers', owns: [reading(Pod, ['spec.nodeName'])] };
    const error = await explored(scenarioOf(lookingAt(nodeOf), { kinds: [lookingAt(nodeOf), other] }));
    expect(error).toMatchObject({ cause: expect.any(UndeclaredReadError) as unknown });
  });

  it('explore() fails at a field beside a declared one, as soon as an object has it', async () => {
    expect(await explored(scenarioOf(lookingAt(addressOf)))).toMatchObject({
      message: expect.stringContaining("reading(Pod, ['status.podIP'])") as unknown,
    });
  });

  it.for<readonly [string, AnyKindDefinition]>([
    ['an orphan', lookingAt(({ orphans }) => orphans.of(Pod)[0]?.spec, { selector: () => ({ app: 'other' }) })],
    ['a related object', lookingAt(({ related }) => related.get(Pod, 'other')?.spec, { reads: [Pod] })],
    ['one of a list', lookingAt(({ related }) => related.list(Pod)[0]?.spec, { reads: [Pod] })],
  ])('explore() fails when a function looks at an undeclared field of %s', async ([, kind]) => {
    const error = await explored(scenarioOf(kind, withPod));
    expect(error).toMatchObject({ cause: expect.any(UndeclaredReadError) as unknown });
  });

  it('explore() finds nothing wrong when the field is declared', async () => {
    const node = reading(Pod, ['status.phase', 'spec.nodeName']);
    expect(await explored(scenarioOf(lookingAt(nodeOf, { owns: [node] })))).toEqual([]);
  });

  it('explore() finds nothing wrong when the operator is started without checks', async () => {
    expect(await explored(scenarioOf(lookingAt(nodeOf), { start: unchecked }))).toEqual([]);
  });
});

/** Replaces the answer of a kind's function. */
const answering = (change: (call: number) => object): AnyKindDefinition => {
  let calls = 0;
  return {
    ...runner,
    desired: (seen) => {
      calls += 1;
      return { ...runner.desired(seen), ...change(calls) };
    },
  };
};

describe('explore(), functions that are not pure', () => {
  it.for<readonly [string, (call: number) => object, RegExp]>([
    [
      'a message',
      (call) => ({ state: ready('Done', `call ${call}`) }),
      /state\.message: .*first "call 1", then "call 2"/,
    ],
    ['a child', (call) => (call % 2 === 0 ? { children: [] } : {}), /children\[0\]: .*then undefined/],
    ['what cannot be compared', (call) => (call > 1 ? { status: Symbol('x') } : {}), /status: came out differently/],
    ['an error', (call) => (call > 1 ? raise() : {}), /\(root\): threw when it was called again: worn out/],
  ])('explore() fails, and says where, when the second call gives %s', async ([, change, words]) => {
    const error = (await explored(scenarioOf(answering(change)))) as Error;
    expect(error.message).toMatch(/desired\(\) of Runner failed for default\/hello: .*two answers/);
    expect(error.message).toMatch(words);
    expect(error.cause).toBeInstanceOf(ImpureFunctionError);
  });

  it('explore() fails when finalize() is not pure', async () => {
    let calls = 0;
    const finalize: AnyKindDefinition['finalize'] = ({ children }) => {
      calls += 1;
      return {
        children: children.of(Pod).map((pod) => (calls > 1 ? remove(pod, 'Deleted') : keep(pod))),
        status: { podName: 'going' },
        state: progressing('Going', 'going'),
      };
    };
    const deletion: ScriptStep = {
      label: 'user deletes it',
      run: (user) => void user.delete({ resource: refOf(runner), namespace: 'default', name: 'hello' }),
    };
    const script = [...runnerScenario.script, deletion];
    const error = (await explored(scenarioOf({ ...runner, finalize }, { script }))) as Error;
    expect(error.message).toMatch(
      /finalize\(\) of Runner "default\/hello".*\n.*children\[0\]\.verb: .*"keep", then "remove"/,
    );
  });

  it('explore() finds nothing wrong with the time, with look-ups, and with members in another order', async () => {
    const kind = lookingAt(({ clock, related }) => [clock.now(), related.list(ConfigMap)], { reads: [ConfigMap] });
    let calls = 0;
    const desired: AnyKindDefinition['desired'] = (seen) => {
      calls += 1;
      const { state, ...rest } = kind.desired(seen);
      return calls % 2 === 0 ? { ...rest, state } : { state, partial: undefined as never, ...rest };
    };
    expect(await explored(scenarioOf({ ...kind, desired }))).toEqual([]);
  });
});

const raise = (): never => {
  throw new Error('worn out');
};
