import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { REVISION_LABEL } from '#lib/workload/pod-template.ts';
import { observedPod } from '#test/unit/support/pods.ts';
import { conditionIn, desiredOf, labelsOf, namesBy, setPod, slot } from '../support.ts';

const own = { 'app.example.com/podset': 'web' };
const team = { matchLabels: { team: 'blue' } };
const blue = { metadata: { labels: { team: 'blue' } }, spec: { containers: [{ name: 'c', image: 'a:1' }] } };
const selecting = { replicas: 2, selector: team, template: blue };

describe('adoption and release', () => {
  it('the kind lets a pod go that lost our label, leaves it running, and replaces it under another name', () => {
    const out = observedPod({ name: slot(0), labels: { app: 'web' } });
    const result = desiredOf({ spec: { replicas: 2 }, children: [out, setPod({ name: slot(1) })] });
    expect(namesBy(result, 'release')).toEqual([slot(0)]);
    expect(namesBy(result, 'apply')).toEqual([slot(2)]);
    expect(result.status).toMatchObject({ replicas: 1, podNames: [slot(1)] });
  });

  it('the kind does not ask for the name of a pod that was let go and still has it', () => {
    const labels = { app: 'web', [REVISION_LABEL]: 'any' };
    const related = [observedPod({ name: slot(0), labels })];
    expect(namesBy(desiredOf({ spec: { replicas: 1 }, related }), 'apply')).toEqual([slot(1)]);
  });

  it('the kind wants a name that a foreign pod has: that is a conflict, and is reported', () => {
    const related = [observedPod({ name: slot(0), labels: { app: 'web' } })];
    expect(namesBy(desiredOf({ spec: { replicas: 1 }, related }), 'apply')).toEqual([slot(0)]);
  });

  it('the kind does not let a pod go that is being deleted, as its name is not free', () => {
    const out = observedPod({ name: slot(0), labels: {}, terminating: true });
    const result = desiredOf({ spec: { replicas: 1 }, children: [out] });
    expect(namesBy(result, 'release')).toEqual([]);
    expect(namesBy(result, 'apply')).toEqual([slot(1)]);
  });

  it('the kind takes pods back that an earlier set of its name has left behind, instead of making new ones', () => {
    const orphans = ['a', 'b'].map((name) => setPod({ name }));
    const result = desiredOf({ spec: { replicas: 3 }, orphans });
    expect(namesBy(result, 'adopt')).toEqual(['a', 'b']);
    expect(namesBy(result, 'apply')).toHaveLength(1);
  });

  it('the kind adopts no more than it needs, those of its revision first', () => {
    const orphans = [setPod({ name: 'a', revision: 'old' }), setPod({ name: 'b' })];
    const result = desiredOf({ spec: { replicas: 1 }, orphans });
    expect(namesBy(result, 'adopt')).toEqual(['b']);
    expect(namesBy(result, 'apply')).toEqual([]);
  });

  it.each([
    { traits: { labels: own }, reason: 'it wears our label and no set has made it' },
    { traits: { labels: labelsOf(), phase: 'Failed' }, reason: 'it has failed' },
    { traits: { labels: { app: 'web' } }, reason: 'it wears the classic label alone' },
  ])('the kind does not adopt a pod without a selector of the user when $reason', ({ traits }) => {
    const orphans = [observedPod({ name: 'a', ...traits })];
    expect(namesBy(desiredOf({ spec: { replicas: 1 }, orphans }), 'adopt')).toEqual([]);
  });

  it.each([
    { traits: { labels: { team: 'blue' } }, reason: 'another author made it' },
    { traits: { labels: { ...own, team: 'blue' } }, reason: 'no set made it' },
    {
      traits: { labels: { ...labelsOf(), 'app.example.com/podset': 'other', team: 'blue' } },
      reason: 'another set made it',
    },
    {
      traits: { labels: { team: 'blue' }, annotations: { 'app.example.com/adopt': 'false' } },
      reason: 'it is not given away',
    },
  ])('the kind leaves a pod alone that its selector selects when $reason', ({ traits }) => {
    const result = desiredOf({ spec: selecting, orphans: [observedPod({ name: 'a', ...traits })] });
    expect(namesBy(result, 'adopt')).toEqual([]);
    expect(namesBy(result, 'apply')).toHaveLength(2);
  });

  it('the kind adopts a pod that its annotation gives away; of an unknown template it counts as old', () => {
    const annotations = { 'app.example.com/adopt': 'true' };
    const orphans = [observedPod({ name: 'a', labels: { team: 'blue' }, annotations })];
    const result = desiredOf({ spec: selecting, orphans });
    expect(namesBy(result, 'adopt')).toEqual(['a']);
    const adopted = observedPod({ name: 'a', labels: { ...own, team: 'blue' }, annotations });
    const next = desiredOf({
      spec: selecting,
      children: [adopted, setPod({ name: slot(0), labels: { team: 'blue' } })],
    });
    expect(next.status).toMatchObject({ replicas: 2, updatedReplicas: 0 });
    expect(next.effects).toHaveLength(1);
  });

  it('the kind adopts a pod of an earlier set of its name that its selector selects', () => {
    const orphans = [observedPod({ name: 'a', labels: { ...labelsOf(), team: 'blue' } })];
    expect(namesBy(desiredOf({ spec: selecting, orphans }), 'adopt')).toEqual(['a']);
  });

  it('the kind lets a pod go that the selector of the user does not mean any more', () => {
    const red = observedPod({ name: slot(0), labels: { ...labelsOf(), team: 'red' } });
    expect(namesBy(desiredOf({ spec: selecting, children: [red] }), 'release')).toEqual([slot(0)]);
  });

  it('the kind touches nothing, and says what to add, when the template does not wear what the selector asks for', () => {
    const spec = { replicas: 1, selector: team };
    const children: KubeObject[] = [setPod({ name: slot(0) }), setPod({ name: slot(1) })];
    const result = desiredOf({ spec, children });
    expect(namesBy(result, 'keep')).toEqual([slot(0), slot(1)].toSorted());
    expect(result.state).toMatchObject({ state: 'stalled', reason: 'InvalidSpec' });
    expect(result.state.message).toContain('team');
    expect(conditionIn(result, 'Available')).toMatchObject({ status: 'True' });
  });
});
