import { describe, expect, it } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { observationOf } from '#lib/desired/observe/observation-of.ts';
import { ready } from '#lib/desired/result/state.ts';
import { configuredKinds } from '#lib/desired/settings/configured-kinds.ts';
import { operatorSettingsOf } from '#lib/desired/settings/operator-settings.ts';
import { s } from '#lib/kind/schema/schema.ts';

const asking = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Asking',
  spec: s.object({}),
  status: s.object({ server: s.string({ maxLength: 100 }) }),
  owns: [],
  operatorSettings: ['prometheusUrl'],
  desired: ({ settings }) => ({
    children: [],
    status: { server: settings.prometheusUrl ?? 'none' },
    state: ready('A', ''),
  }),
});

const { operatorSettings: _, ...silent } = asking;

const statusOf = (definition: AnyKindDefinition, settings: object): unknown => {
  const [configured = definition] = configuredKinds([definition], settings);
  return configured.desired(observationOf(configured, { spec: {} })).status;
};

describe('configuredKinds()', () => {
  it('configuredKinds() gives a function the settings that its kind declares, and no others', () => {
    expect(statusOf(asking, { prometheusUrl: 'http://p:9090' })).toEqual({ server: 'http://p:9090' });
    expect(statusOf(asking, {})).toEqual({ server: 'none' });
    expect(statusOf(silent, { prometheusUrl: 'http://p:9090' })).toEqual({ server: 'none' });
  });

  it('configuredKinds() reaches a kind that was wrapped, and its finalize()', () => {
    const wrapped = { ...asking, desired: asking.desired, finalize: asking.desired };
    const [configured] = configuredKinds([wrapped], { prometheusUrl: 'http://p:9090' });
    const seen = observationOf(wrapped, { spec: {} });
    expect(configured?.finalize?.(seen).status).toEqual({ server: 'http://p:9090' });
  });

  it('configuredKinds() leaves kinds alone that ask for nothing', () => {
    expect(configuredKinds([silent], { prometheusUrl: 'http://p:9090' })[0]).toBe(silent);
  });
});

describe('observationOf()', () => {
  it('observationOf() shows the settings of a situation as run() would', () => {
    const settings = { prometheusUrl: 'http://p:9090' };
    expect(observationOf(asking, { spec: {}, settings }).settings).toEqual(settings);
    expect(observationOf(silent, { spec: {}, settings }).settings).toEqual({});
  });
});

describe('operatorSettingsOf()', () => {
  it('operatorSettingsOf() reads PROMETHEUS_URL, after what was said in code', () => {
    const env = { PROMETHEUS_URL: 'http://env:9090' };
    expect(operatorSettingsOf(env)).toEqual({ prometheusUrl: 'http://env:9090' });
    expect(operatorSettingsOf(env, { prometheusUrl: 'http://code:9090' })).toEqual({
      prometheusUrl: 'http://code:9090',
    });
    expect(operatorSettingsOf({ PROMETHEUS_URL: '' })).toEqual({});
  });

  it('operatorSettingsOf() refuses an address that is never asked, and keeps its password to itself', () => {
    expect(() => operatorSettingsOf({ PROMETHEUS_URL: 'http://user:hunter2@p:9090' })).toThrow(
      /PROMETHEUS_URL is "http:\/\/…@p:9090": it must not hold a user; .* set it to/,
    );
    expect(() => operatorSettingsOf({}, { prometheusUrl: 'p:9090' })).toThrow('effects.prometheusUrl is "p:9090"');
  });
});
