import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LuaEngine, LuaFactory } from 'wasmoon';
import { argoCdHealthScripts } from '#constructs/operator/argo-cd.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { made } from './made.ts';

let lua: LuaEngine;

beforeAll(async () => {
  lua = await new LuaFactory().createEngine({ openStandardLibs: false });
  // The functions that a script has in Argo CD, besides its object: util/lua/lua.go, OpenBase.
  const ipairs =
    'function ipairs(list) local i = 0 return function() i = i + 1 if list[i] ~= nil then return i, list[i] end end end';
  await lua.doString(ipairs);
});

afterAll(() => lua?.global.close());

/** Runs the script as Argo CD does: the object is a plain table called `obj`. */
const healthOf = async (object: object): Promise<unknown> => {
  const script = argoCdHealthScripts([podSet])['resource.customizations.health.app.example.com_PodSet'] ?? '';
  return (await lua.doString(`local obj = ${tableOf(object)}\n${script}`)) as unknown;
};

const tableOf = (value: unknown): string => {
  if (Array.isArray(value)) return `{ ${value.map(tableOf).join(', ')} }`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, each]) => `[${JSON.stringify(key)}] = ${tableOf(each)}`)
    .join(', ')} }`;
};

const condition = (type: string, status: string, message = '') => ({ type, status, reason: 'Because', message });

const resource = (...conditions: object[]) => ({
  metadata: { generation: 2 },
  status: { observedGeneration: 2, conditions },
});

describe('the health script for Argo CD', () => {
  it.each([
    { when: 'there is no status', object: { metadata: { generation: 1 } }, is: 'Progressing' },
    { when: 'there are no conditions', object: { metadata: { generation: 1 }, status: {} }, is: 'Progressing' },
    {
      when: 'a change was not seen',
      object: {
        metadata: { generation: 3 },
        status: { observedGeneration: 2, conditions: [condition('Ready', 'True')] },
      },
      is: 'Progressing',
    },
    {
      when: 'it is being deleted',
      object: { ...resource(condition('Ready', 'True')), metadata: { generation: 2, deletionTimestamp: 'x' } },
      is: 'Progressing',
    },
    { when: 'it is ready', object: resource(condition('Ready', 'True', 'all well')), is: 'Healthy', says: 'all well' },
    {
      when: 'it makes progress',
      object: resource(condition('Ready', 'False', '1 of 3'), condition('Reconciling', 'True', '1 of 3')),
      is: 'Progressing',
      says: '1 of 3',
    },
    {
      when: 'it is stalled, whatever else it is',
      object: resource(condition('Ready', 'True'), condition('Paused', 'True'), condition('Stalled', 'True', 'no')),
      is: 'Degraded',
      says: 'no',
    },
    {
      when: 'it is paused',
      object: resource(condition('Ready', 'False'), condition('Paused', 'True', 'by you')),
      is: 'Suspended',
      says: 'by you',
    },
    {
      when: 'a rollout stands still until lost pods are back',
      object: resource(condition('Ready', 'False', 'pods of it are missing'), {
        ...condition('Paused', 'True', 'AvailabilityLost'),
        reason: 'AvailabilityLost',
      }),
      is: 'Progressing',
      says: 'pods of it are missing',
    },
  ])('says $is when $when', async ({ object, is, says }) => {
    expect(await healthOf(object)).toMatchObject({ status: is, ...(says && { message: says }) });
  });

  it('stands in a ConfigMap for every kind when an Operator is asked for it', () => {
    expect(made('ConfigMap', { argoCd: true })[0]?.data).toEqual(argoCdHealthScripts([podSet]));
  });
});
