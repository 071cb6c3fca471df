import { describe, expect, it } from 'vitest';
import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import { definitionKind } from '#lib/apiserver/crd/definition-kind.ts';
import { ApiCatalogue } from '#lib/apiserver/http/discovery/catalogue.ts';
import { routeOf } from '#lib/apiserver/http/request/route.ts';
import { ageCell } from '#lib/apiserver/http/table/ages.ts';
import { customPrinter } from '#lib/apiserver/http/table/custom.ts';
import { jsonPath } from '#lib/apiserver/http/table/json-path.ts';
import { podPrinter } from '#lib/apiserver/http/table/pod.ts';
import { printerOf } from '#lib/apiserver/http/table/table.ts';
import type { JsonObject } from '#lib/json.ts';
import recorded from './columns.json' with { type: 'json' };

const catalogue = new ApiCatalogue([...builtinKinds, definitionKind], () => []);
const now = Date.UTC(2026, 0, 10);
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

describe('printerOf()', () => {
  for (const [path, columns] of Object.entries(recorded)) {
    it(`has the columns of the real server at ${path}`, () => {
      const resource = routeOf(path).resource?.resource ?? { group: '', version: '', plural: '' };
      const served = catalogue.find(resource);
      const own =
        served && printerOf(served).columns.map(({ name, type, format, priority }) => [name, type, format, priority]);
      expect(own).toEqual(columns);
      const object = { metadata: { name: 'a' } };
      expect(served && printerOf(served).cells(object, now)).toHaveLength(columns.length);
    });
  }
});

const cellsOf = (path: string, object: JsonObject): unknown[] => {
  const served = catalogue.find(routeOf(path).resource?.resource ?? { group: '', version: '', plural: '' });
  const printer = served && printerOf(served);
  const cells = printer?.cells({ metadata: { name: 'a', creationTimestamp: ago(60) }, ...object }, now) ?? [];
  return cells.map((cell, index) => [printer?.columns[index]?.name, cell]);
};

const binding = (paramRef?: JsonObject): unknown[] =>
  cellsOf('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/a', {
    spec: { policyName: 'limits', ...(paramRef && { paramRef }) },
  });

// Cells of kube-apiserver 1.36.4.
describe('cells()', () => {
  it.each([
    [undefined, '<unset>'],
    [{ name: 'p' }, '*/p'],
    [{ name: 'p', namespace: 'x' }, 'x/p'],
    [
      { selector: {} },
      '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}',
    ],
    [
      {
        selector: {
          matchLabels: { b: 'c', a: 'b' },
          matchExpressions: [
            { key: 'k', operator: 'In', values: ['x', 'y'] },
            { key: 'e', operator: 'Exists' },
          ],
        },
      },
      '&LabelSelector{MatchLabels:map[string]string{a: b,b: c,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},LabelSelectorRequirement{Key:e,Operator:Exists,Values:[],},},}',
    ],
  ])('cells() shows the parameter %j of a binding', (paramRef, text) => {
    expect(binding(paramRef)).toEqual([
      ['Name', 'a'],
      ['PolicyName', 'limits'],
      ['ParamRef', text],
      ['Age', '60s'],
    ]);
  });

  it('cells() shows the kind of the parameter of a policy', () => {
    const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/a';
    const spec = { validations: [{}], paramKind: { apiVersion: 'example.com/v1', kind: 'Limit' } };
    expect(cellsOf(path, { spec }).slice(1, 3)).toEqual([
      ['Validations', 1],
      ['ParamKind', 'example.com/v1/Limit'],
    ]);
    expect(cellsOf(path, {}).slice(1, 3)).toEqual([
      ['Validations', 0],
      ['ParamKind', '<unset>'],
    ]);
  });

  it('cells() shows the containers and the selector of a workload', () => {
    const containers = [
      { name: 'web', image: 'nginx:1' },
      { name: 'log', image: 'fluent:2' },
    ];
    const spec = { selector: { matchLabels: { app: 'web' } }, template: { spec: { containers } } };
    expect(cellsOf('/apis/apps/v1/namespaces/n/deployments/a', { spec }).slice(-3)).toEqual([
      ['Containers', 'web,log'],
      ['Images', 'nginx:1,fluent:2'],
      ['Selector', 'app=web'],
    ]);
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };
    expect(cellsOf('/api/v1/namespaces/n/podtemplates/a', { template }).slice(1)).toEqual([
      ['Containers', 'web,log'],
      ['Images', 'nginx:1,fluent:2'],
      ['Pod Labels', 'app=web'],
    ]);
  });
});

describe('ageOf()', () => {
  it('ageOf() is how long ago a time was', () => {
    expect([ageCell(ago(150), now), ageCell(ago(-60), now)]).toEqual(['2m30s', '<invalid>']);
  });

  it('ageOf() says so when there is no time', () => {
    expect([ageCell(undefined, now), ageCell('soon', now)]).toEqual(['<unknown>', '<invalid>']);
  });
});

describe('jsonPath()', () => {
  const object = {
    spec: { replicas: 3, 'dotted.name': 'd', list: ['a', 'b', 'c'] },
    status: {
      conditions: [
        { type: 'Ready', status: 'True', weight: 1 },
        { type: 'Stalled', status: 'False', weight: 2 },
      ],
    },
  };

  it.each([
    ['.spec.replicas', [3]],
    ['{.spec.replicas}', [3]],
    ['$.spec.replicas', [3]],
    ['.spec.list[1]', ['b']],
    ['.spec.list[-1]', ['c']],
    ['.spec.list[*]', ['a', 'b', 'c']],
    ['.spec.dotted\\.name', ['d']],
    [".spec['dotted.name']", ['d']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Stalled')].status", ['False']],
    ['.status.conditions[?(@.weight>1)].type', ['Stalled']],
    ['.status.nothing', []],
    ['.spec.list[9]', []],
  ])('jsonPath() finds what %s means', (path, found) => {
    expect(jsonPath(path)(object)).toEqual(found);
  });

  it('jsonPath() refuses what it does not understand', () => {
    expect(() => jsonPath('..status')).toThrow('Cannot read the path');
    expect(() => jsonPath('.list[0:2]')).toThrow('[0:2] is not supported');
  });
});

const column = (name: string, type: string, path: string): JsonObject => ({ name, type, jsonPath: path });

describe('customPrinter()', () => {
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    additionalPrinterColumns: [
      column('Count', 'integer', '.spec.count'),
      column('Text', 'string', '.spec.text'),
      column('Map', 'string', '.spec.map'),
      column('Flag', 'boolean', '.spec.flag'),
      column('Age', 'date', '.metadata.creationTimestamp'),
      column('Odd', 'string', '..odd'),
    ],
  };

  it('shows values by the types of their columns, and nothing where there is none', () => {
    const spec = { count: 3.7, text: 't', map: { a: 1 }, flag: true };
    const object = { metadata: { name: 'x', creationTimestamp: ago(30) }, spec };
    expect(customPrinter(version).cells(object, now)).toEqual(['x', 3, 't', '{"a":1}', true, '30s', null]);
    const bare = { metadata: { name: 'x' }, spec: { count: 'three' } };
    expect(customPrinter(version).cells(bare, now)).toEqual(['x', null, null, null, null, null, null]);
  });

  it('shows the age when a definition has no columns', () => {
    const { columns } = customPrinter({ name: 'v1', served: true, storage: true });
    expect(columns.map(({ name }) => name)).toEqual(['Name', 'Age']);
  });
});

const statusOf = (status: JsonObject, metadata: JsonObject = {}): unknown =>
  podPrinter.cells({ metadata: { name: 'p', ...metadata }, spec: { containers: [{}] }, status }, now)[2];

const container = (state: JsonObject, more: JsonObject = {}): JsonObject => ({
  containerStatuses: [{ state, ...more }],
});

describe('podPrinter', () => {
  it('says in one word how a pod is', () => {
    expect(statusOf({ phase: 'Pending' })).toBe('Pending');
    expect(statusOf({ phase: 'Failed', reason: 'Evicted' })).toBe('Evicted');
    expect(statusOf({ phase: 'Running', ...container({ waiting: { reason: 'CrashLoopBackOff' } }) })).toBe(
      'CrashLoopBackOff',
    );
    expect(statusOf({ phase: 'Failed', ...container({ terminated: { exitCode: 3 } }) })).toBe('ExitCode:3');
    expect(statusOf({ phase: 'Failed', ...container({ terminated: { reason: 'Error', exitCode: 3 } }) })).toBe('Error');
    expect(statusOf({ phase: 'Running' }, { deletionTimestamp: ago(1) })).toBe('Terminating');
  });
});
