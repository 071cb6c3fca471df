import { describe, expect, it } from 'vitest';
import type { OtherDeployer } from '#constructs/deployer/identity.ts';
import { deployer, deployerWith } from '#constructs/deployer/kind.ts';
import { observationOf, type Situation } from '#lib/desired/observe/observation-of.ts';

type Given = Partial<Situation<typeof deployer.spec, typeof deployer.status>>;
type Spec = Situation<typeof deployer.spec, typeof deployer.status>['spec'];

const deployment = { name: 'nginx', image: 'nginx', version: '1.7.7', replicas: 10 };
const metadata = { name: 'mine', namespace: 'shop', uid: 'b', creationTimestamp: '2026-01-01T00:00:01Z' };

const desiredOf = (spec: Partial<Spec>, given: Given = {}, kind = deployer) =>
  kind.desired(observationOf(kind, { metadata, ...given, spec: { deployment, ...spec } }));

const rival = (meta: object, spec: object = { deployment: { name: 'nginx' } }): OtherDeployer => ({
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'Deployer',
  metadata: { name: 'theirs', namespace: 'shop', uid: 'a', creationTimestamp: '2026-01-01T00:00:00Z', ...meta },
  spec,
});

describe('a Deployer that cannot be carried out', () => {
  it('another namespace is refused at run time, and nothing is created', () => {
    const { state, children, conditions, status } = desiredOf({
      deployment: { ...deployment, namespace: 'kube-system' },
    });
    expect(state).toMatchObject({ state: 'stalled', reason: 'InvalidSpec' });
    expect(state.message).toMatch(/kube-system.*shop/);
    expect(status.phase).toBe('InvalidSpec');
    expect(children).toEqual([]);
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'InvalidSpec', status: 'True' }));
  });

  it('its own namespace may be written', () => {
    expect(desiredOf({ deployment: { ...deployment, namespace: 'shop' } }).state.state).toBe('progressing');
  });

  it.each([
    { meta: {}, loses: true, reason: 'the other one is older' },
    { meta: { creationTimestamp: '2026-01-01T00:00:02Z' }, loses: false, reason: 'the other one is younger' },
    {
      meta: { creationTimestamp: '2026-01-01T00:00:01Z', uid: 'a' },
      loses: true,
      reason: 'both are as old and its uid is less',
    },
    {
      meta: { creationTimestamp: '2026-01-01T00:00:01Z', uid: 'c' },
      loses: false,
      reason: 'both are as old and its uid is more',
    },
  ])('of two with one deployment.name it loses: $loses, when $reason', ({ meta, loses }) => {
    const { state } = desiredOf({}, { related: [rival(meta)] });
    expect(state.reason === 'Conflict').toBe(loses);
  });

  it('the loser of a conflict names the owner of the name, and how to resolve it', () => {
    const { state, status, children } = desiredOf({}, { related: [rival({})] });
    expect(state).toMatchObject({ state: 'stalled', reason: 'Conflict' });
    expect(state.message).toMatch(/Deployer theirs.*nginx.*choose another name/);
    expect([status.phase, children]).toEqual(['Conflict', []]);
  });

  it.each([
    { related: [rival({}, { deployment: { name: 'other' } })], reason: 'names differ' },
    {
      related: [rival({}, { deployment: { name: 'nginx', namespace: 'elsewhere' } })],
      reason: 'the other one is refused itself',
    },
    { related: [rival({ uid: 'b', name: 'mine' })], reason: 'it is itself' },
    { related: [], reason: 'the other one is gone' },
  ])('there is no conflict when $reason', ({ related }) => {
    expect(desiredOf({}, { related }).state.reason).not.toBe('Conflict');
  });

  it('a metric without an address is refused when the operator has none either', () => {
    const metrics = [{ name: 'errors', query: 'errors', max: 5 }];
    const spec = { steps: [{ percent: 10, metrics }] };
    expect(desiredOf(spec).state).toMatchObject({ state: 'stalled', reason: 'InvalidSpec' });
    expect(desiredOf(spec).state.message).toMatch(/PROMETHEUS_URL/);
    const informed = deployerWith({ prometheusUrl: 'http://prometheus:9090' });
    expect(desiredOf(spec, {}, informed).state.state).toBe('progressing');
  });

  it('the first of several faults is reported, with the number of the others', () => {
    const metrics = [
      { name: 'a', query: 'a', max: 5 },
      { name: 'b', query: 'b', max: 5 },
    ];
    expect(desiredOf({ steps: [{ percent: 10, metrics }] }).state.message).toMatch(/metrics\[a\].*and 1 more$/);
  });

  it('a version that is used for another template is refused also while no pods of it are wanted', () => {
    const children = [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'nginx-1.7.7', labels: { 'deploy.example.com/revision': 'other' } },
        spec: { replicas: 0, template: { metadata: { labels: { version: '1.7.7' } } } },
      },
    ];
    const status = { stableHash: 'other', canaryHash: 'other' };
    const { state, children: intents } = desiredOf(
      { deployment: { ...deployment, replicas: 0 } },
      { children, status },
    );
    expect(state).toMatchObject({ state: 'stalled', reason: 'VersionReused' });
    expect(intents).toEqual([]);
  });

  it('the first pass of a version writes its template down, and makes its Deployment when that is there', () => {
    const first = desiredOf({});
    const status = first.status;
    const snapshot = desiredOf({}, { status }).children.map(({ object }) => object);
    expect(snapshot.map(({ kind }) => kind)).toEqual(['ControllerRevision']);
    const then = desiredOf({}, { status, children: snapshot }).children.map(({ object }) => object.kind);
    expect(new Set(then)).toEqual(new Set(['ControllerRevision', 'Deployment']));
  });
});
