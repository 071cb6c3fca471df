import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR, startInstalledOperator } from '#test/control-plane/install.ts';
import { type OperatorProcess, spawnOperator } from '#test/control-plane/operator-process.ts';
import { createFleet, untilWell } from './story.ts';

const LEASE_DURATION_SECONDS = '15';
const LOOK_MS = 30_000;
/** Maximum number of requests of one process in this time: each source backs off to 30 s. */
const MOST_REQUESTS = 100;
/** The goal: R16. */
const LIMIT_MS = 60_000;
const env = { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR, LEASE_DURATION_SECONDS };

const requestsSince = async (plane: ControlPlane, since: Date) =>
  (await plane.auditEntries({ since })).filter(({ userAgent }) => userAgent.startsWith('cdk8s-reconcile'));

/** Starts a replica under credentials from before the restore, as a kubelet does that has not yet noticed it. */
const withoutInstallation = async (plane: ControlPlane, kubeconfig: string): Promise<string> => {
  const since = new Date();
  await using operator = spawnOperator({ kubeconfig, env });
  await sleep(LOOK_MS);
  const ended = await Promise.race([operator.exited, sleep(0, 'runs')]);
  if (ended !== 'runs') throw new Error(`ended with ${ended} where nothing is installed: ${lastLine(operator)}`);
  const requests = await requestsSince(plane, since);
  const written = requests.filter(({ code, verb }) => code < 300 && !['get', 'list', 'watch'].includes(verb));
  if (written.length > 0) throw new Error(`wrote ${written.map(({ requestURI }) => requestURI).join(', ')}`);
  if (requests.length > MOST_REQUESTS) throw new Error(`${requests.length} requests in ${LOOK_MS} ms`);
  if (!operator.log.some((line) => JSON.stringify(line).includes('does not accept the credentials')))
    throw new Error(`does not name the cause: ${lastLine(operator)}`);
  return `${requests.length} requests in ${LOOK_MS / 1000} s without an installation`;
};

const lastLine = ({ log, errors }: OperatorProcess): string => `${JSON.stringify(log.at(-1))} ${errors()}`;

/**
 * Restores a snapshot from before the installation: the ServiceAccount, rights, CRDs and lease of a running operator are gone.
 * Then the bundle and new resources are applied.
 */
export const playOlderSnapshot = async (): Promise<string> => {
  await using plane = await startControlPlane({ audit: 'Metadata' });
  const snapshot = await plane.saveSnapshot();
  await installBundle(plane);
  const kubeconfig = await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
  await using before = await startInstalledOperator(plane, { kubeconfig, env });
  await untilWell(await createFleet(plane), 'after the start');
  let restored = new Date();
  await plane.restoreStorage(snapshot, { whileDown: async () => void (restored = new Date()) });
  const code = await Promise.race([before.exited, sleep(LIMIT_MS, 'runs', { ref: false })]);
  if (code !== 1 || !lastLine(before).includes('Lost the lease'))
    throw new Error(`the process from before: ${code}, not 1 with a lost lease: ${lastLine(before)}`);
  const without = await withoutInstallation(plane, kubeconfig);
  const written = (await requestsSince(plane, restored)).filter(
    ({ code: status, verb }) => status < 300 && ['create', 'patch', 'update', 'delete'].includes(verb),
  );
  if (written.length > 0) throw new Error(`wrote ${written.map(({ requestURI }) => requestURI).join(', ')}`);
  await installBundle(plane);
  await plane.restart('kube-controller-manager');
  await using again = await startInstalledOperator(plane, { env });
  const wellMs = await untilWell(await createFleet(plane), 'after the bundle was applied again');
  if (wellMs > LIMIT_MS) throw new Error(`well only after ${wellMs} ms`);
  if (again.log.some(({ level }) => level === 'error'))
    throw new Error(`an error after the installation: ${lastLine(again)}`);
  return `the process from before ended with ${code}; ${without}; well ${wellMs} ms after the bundle and the resources came again`;
};
