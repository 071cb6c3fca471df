/**
 * Upgrades an operator of an earlier commit, with live resources of all kinds, on a real API server:
 * `npm run test:upgrade -- --from <commit>`. Fails when a child is lost, replaced or added; prints every other write.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { AuditEntry } from '#test/control-plane/audit.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR, OPERATOR_USER } from '#test/control-plane/install.ts';
import { type OperatorProcess, spawnOperator } from '#test/control-plane/operator-process.ts';
import { childrenIn, lostOrAdded } from './children.ts';
import { checkOutRelease } from './earlier-release.ts';

const MUTATING = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
/**
 * Time without a write after which the upgrade is over: longer than the loop's longest delay between two writes for one change.
 */
const QUIET_MS = 5_000;

interface Site {
  readonly plane: ControlPlane;
  readonly namespace: string;
}

const fileBeside = (name: string): URL => new URL(name, import.meta.url);

const kubectl = async ({ plane, namespace }: Site, args: readonly string[]): Promise<void> => {
  const { code, stderr } = await plane.kubectl([`--namespace=${namespace}`, ...args]);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
};

const isWrite = ({ verb, resource }: AuditEntry): boolean =>
  MUTATING.has(verb) && resource !== 'leases' && resource !== 'events';

const writesSince = async ({ plane }: Site, since: Date): Promise<readonly AuditEntry[]> =>
  (await plane.auditEntries({ user: OPERATOR_USER, since })).filter(isWrite);

const untilQuiet = async (site: Site): Promise<void> => {
  for (let before = -1; ; ) {
    const { length } = await writesSince(site, new Date(0));
    if (length === before) return;
    before = length;
    await sleep(QUIET_MS);
  }
};

const startRelease = async ({ plane }: Site, entryPoint?: string): Promise<OperatorProcess> =>
  spawnOperator({
    kubeconfig: await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR),
    env: { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR },
    ...(entryPoint !== undefined && { entryPoint }),
  });

const waitForLeader = async ({ plane }: Site, { exited, errors, log }: OperatorProcess): Promise<void> => {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${OPERATOR}/leases/${OPERATOR}`;
  const since = new Date();
  let ended = false;
  void exited.then(() => (ended = true));
  for (;;) {
    if (ended) throw new Error(`The operator ended: ${errors()} ${JSON.stringify(log.slice(-3))}`);
    const { body } = await plane.request<{ spec?: { acquireTime?: string; holderIdentity?: string } }>('GET', path);
    if (body.spec?.holderIdentity && Date.parse(body.spec.acquireTime ?? '') >= since.getTime() - 1_000) return;
    await sleep(100);
  }
};

const makeResources = async (site: Site): Promise<void> => {
  await kubectl(site, ['apply', '-f', fileBeside('resources.yaml').pathname]);
  await untilQuiet(site);
  const changes = JSON.parse(await readFile(fileBeside('changes.json'), 'utf8')) as readonly [string, object][];
  for (const [target, patch] of changes)
    await kubectl(site, ['patch', target, '--type=merge', '-p', JSON.stringify(patch)]);
  await untilQuiet(site);
};

const printCounts = (writes: readonly AuditEntry[]): void => {
  const names = writes.map(
    ({ verb, resource, subresource, name, code }) =>
      `${verb} ${[resource, subresource].filter(Boolean).join('/')} ${name} ${code}`,
  );
  const counts = Map.groupBy(names, (name) => name);
  for (const [name, { length }] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`  ${length} × ${name}`);
};

const upgrade = async (from: string): Promise<readonly string[]> => {
  await using release = await checkOutRelease(from);
  const plane = await startControlPlane();
  try {
    const site = { plane, namespace: await plane.createNamespace('live') };
    await installBundle(plane, release.bundle);
    const old = await startRelease(site, release.operator);
    await waitForLeader(site, old);
    await makeResources(site);
    const before = await childrenIn(plane, site.namespace);
    await old.stop();
    const since = new Date();
    await installBundle(plane);
    await using current = await startRelease(site);
    await waitForLeader(site, current);
    await untilQuiet(site);
    const after = await childrenIn(plane, site.namespace);
    const writes = await writesSince(site, since);
    console.log(
      `${before.size} children before, ${after.size} after the upgrade; writes of the new operator: ${writes.length}`,
    );
    printCounts(writes);
    await current.stop();
    return lostOrAdded(before, after);
  } finally {
    await plane.stop();
  }
};

const { values } = parseArgs({ options: { from: { type: 'string' } } });
if (values.from === undefined) {
  console.error('Cannot upgrade: --from is missing; name a commit, such as --from HEAD~1');
  process.exit(64);
}
const faults = await upgrade(values.from);
for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? 'No child was lost, replaced or added.' : `${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);
