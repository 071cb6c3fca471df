import { describe, expect, it } from 'vitest';
import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import { ApiCatalogue } from '#lib/apiserver/http/discovery/catalogue.ts';
import { printerOf } from '#lib/apiserver/http/table/table.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { createApiServer } from '#lib/apiserver/server/server.ts';
import type { JsonObject } from '#lib/json.ts';

const { jobs } = resources;
const now = Date.UTC(2026, 0, 1);

const serverWith = (template: JsonObject): ApiServer => {
  const server = createApiServer({ kinds: builtinKinds, now: () => now });
  const pod = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1' }] };
  const body = { metadata: { name: 'j' }, spec: { template: { ...template, spec: pod } } };
  expect(server.handle({ verb: 'create', resource: jobs, namespace: 'default', body }).code).toBe(201);
  return server;
};

const jobIn = (server: ApiServer): ServerObject => server.objects(jobs)[0]!;

const labelsOf = (template: JsonObject): readonly string[] =>
  Object.keys(jobIn(serverWith(template)).metadata.labels ?? {}).toSorted();

const at = (type: string): JsonObject => ({ conditions: [{ type, status: 'True' }] });

describe('jobKind', () => {
  it('jobKind copies the labels of the template, with those that the server adds, to a Job without labels', () => {
    const added = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name', 'controller-uid', 'job-name'];
    expect(labelsOf({})).toEqual(added);
    expect(labelsOf({ metadata: { labels: { app: 'a' } } })).toEqual(['app', ...added]);
  });

  it('jobKind gives the labels again to a Job whose status is updated without labels', () => {
    const server = serverWith({});
    const { labels, ...metadata } = jobIn(server).metadata;
    const body = { ...jobIn(server), metadata };
    const { code } = server.handle({
      verb: 'update',
      resource: jobs,
      namespace: 'default',
      name: 'j',
      subresource: 'status',
      body,
    });
    expect(code).toBe(200);
    expect(jobIn(server).metadata.labels).toEqual(labels);
  });

  it.for([
    [{}, ['orphan']],
    [{ propagationPolicy: 'Background' }, undefined],
    [{ propagationPolicy: 'Foreground' }, ['foregroundDeletion']],
    [{ orphanDependents: false }, undefined],
  ] as const)(
    'jobKind keeps dependents when a deletion has the options %j only without a policy',
    ([body, finalizers]) => {
      const server = serverWith({});
      server.handle({ verb: 'delete', resource: jobs, namespace: 'default', name: 'j', body });
      expect(server.objects(jobs)[0]?.metadata.finalizers).toEqual(finalizers);
    },
  );
});

describe('printerOf()', () => {
  const catalogue = new ApiCatalogue(builtinKinds, () => []);
  const cells = (plural: string, object: JsonObject): readonly unknown[] =>
    printerOf(catalogue.find({ group: 'batch', version: 'v1', plural })!).cells(
      { metadata: { name: 'a', creationTimestamp: '2025-12-31T23:00:00Z' }, ...object },
      now,
    );
  it('printerOf() shows the progress of Jobs', () => {
    const spec = { completions: 3, parallelism: 2 };
    const status = { succeeded: 1, startTime: '2025-12-31T23:59:00Z' };
    expect(cells('jobs', { spec, status })).toEqual(['a', 'Running', '1/3', '60s', '60m', '', '', '<none>']);
    const done = { ...status, completionTime: '2025-12-31T23:59:10Z', ...at('Complete') };
    expect(cells('jobs', { spec: { parallelism: 2 }, status: done }).slice(1, 4)).toEqual([
      'Complete',
      '1/1 of 2',
      '10s',
    ]);
    expect(cells('jobs', { spec: {}, status: at('FailureTarget') }).slice(1, 4)).toEqual(['FailureTarget', '0/1', '']);
    expect(cells('jobs', { spec, status: at('Suspended') })[1]).toBe('Suspended');
  });

  it('printerOf() shows the schedule of CronJobs', () => {
    const spec = { schedule: '@daily', suspend: true, jobTemplate: { spec: {} } };
    const status = { active: [{}], lastScheduleTime: '2025-12-31T23:59:00Z' };
    expect(cells('cronjobs', { spec, status }).slice(1, 7)).toEqual(['@daily', '<none>', 'True', 1, '60s', '60m']);
  });
});
