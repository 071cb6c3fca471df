import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { shownResources } from '#lib/cli/verbs/dev/project.ts';
import { LiveHistory } from '#lib/cli/verbs/dev/ui/live-history.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';

const meta = (name: string, uid = name) => ({ name, namespace: 'default', uid, resourceVersion: '1' });
const set: ApiObject = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: meta('web'), spec: {} };
const stray: ApiObject = { apiVersion: 'v1', kind: 'Pod', metadata: meta('stray'), spec: { containers: [] } };

const regarding = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', namespace: 'default', name: 'web' };

const eventOf = (more: object = {}): ApiObject => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: meta('web.1'),
  regarding,
  reportingController: 'cdk8s-reconcile/podset',
  reason: 'PodFailed',
  note: 'web-1 failed',
  type: 'Warning',
  ...more,
});

describe('LiveHistory', () => {
  it('shows the kinds of the project, and no objects of other owners', () => {
    const history = new LiveHistory('https://server', systemTimers);
    history.shows(shownResources([podSet]));
    for (const now of [set, stray]) history.changed([{ now, before: undefined, isInitial: true }]);
    const { objects, facts } = history.run();
    expect(objects).toEqual([{ kind: 'PodSet', group: 'app.example.com', namespace: 'default', name: 'web' }]);
    expect(facts[0]).toBe('https://server');
  });

  it('shows new Kubernetes Events about these objects, each once', () => {
    const history = new LiveHistory('https://server', systemTimers);
    history.shows(shownResources([podSet]));
    history.changed([
      { now: set, before: undefined, isInitial: true },
      { now: eventOf(), before: undefined, isInitial: true },
      { now: eventOf(), before: undefined, isInitial: false },
      { now: eventOf({ series: { count: 2 } }), before: eventOf(), isInitial: false },
      { now: undefined, before: eventOf(), isInitial: false },
      { now: eventOf({ regarding: { kind: 'Node', name: 'node-1' } }), before: undefined, isInitial: false },
      { now: eventOf({ regarding: { ...regarding, apiVersion: 'v1' } }), before: undefined, isInitial: false },
      { now: eventOf({ regarding: undefined }), before: undefined, isInitial: false },
    ]);
    const told = history.run().events.slice(1);
    expect(told).toMatchObject([
      { sort: 'event', who: 'operator', object: 0, what: 'web-1 failed', why: 'PodFailed', isBad: true },
    ]);
  });

  it('says which kinds cannot be watched now', () => {
    const history = new LiveHistory('https://server', systemTimers);
    expect([history.hasProblem('Pod', '403'), history.hasProblem('Pod', '403')]).toEqual([true, false]);
    expect(history.run().notes).toEqual(['Pod cannot be watched now: 403']);
    expect(history.hasProblem('Pod', undefined)).toBe(true);
    expect(history.run().notes).toEqual([]);
  });
});
