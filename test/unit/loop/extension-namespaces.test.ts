import { expect, it } from 'vitest';
import { town } from '#test/unit/support/extension-town.ts';
import { TENANT, tenantWith } from '#test/unit/support/tenant-extension.ts';

const teamAt = (at: number) => ({ [TENANT]: '2', team: at % 2 === 0 ? 'x' : 'y' });

const isWatch = ({ verb }: { readonly verb: string }): boolean => verb === 'watch';

it('an extension sends one request for each child over 1,000 namespaces, none at rest, and one list of each kind after a restart', async () => {
  const { api, start, settle, found, relabel } = town(tenantWith({ where: { labels: { team: 'x' } } }));
  for (let at = 0; at < 1000; at += 1) found(`n-${at}`, teamAt(at));
  const first = start();
  for (let round = 0; round < 20; round += 1) await settle();
  expect(api.writes).toHaveLength(1000);
  api.requests.length = 0;
  await settle();
  expect(api.requests.filter((request) => !isWatch(request))).toEqual([]);
  await settle(() => relabel('n-1', teamAt(0)));
  expect(api.writes).toMatchObject([
    { verb: 'apply', name: 'tenant-1' },
    { verb: 'apply', name: 'tenant-2' },
  ]);
  await first.stop();
  api.requests.length = 0;
  start();
  await settle();
  expect(api.requests.map(({ verb, resource }) => `${verb} ${resource}`).toSorted()).toEqual([
    'list configmaps',
    'list namespaces',
  ]);
});
