import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR, startInstalledOperator } from '#test/control-plane/install.ts';
import { type OperatorProcess, spawnOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';

const env = { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR, LEASE_DURATION_SECONDS: '5' };
/** Long enough for several watches to fail more than once. */
const LOOK_MS = 10_000;
/** The API server remembers an accepted token for 10 s, then the lease runs out. */
const END_MS = 60_000;
/** The longest interval between two attempts is 30 s. */
const RECOVERY_MS = 60_000;

let plane: ControlPlane;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credentials-ended-'));
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
});
afterAll(async () => {
  await plane?.stop();
  await rm(folder, { recursive: true });
});

interface Kubeconfig {
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

/** Writes a new token of the ServiceAccount into a file, as a kubelet does for a pod. @returns a kubeconfig that names the file */
const withNewToken = async (): Promise<string> => {
  const config = parse(await readFile(await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR), 'utf8')) as Kubeconfig;
  const [kubeconfig, tokenFile] = [join(folder, 'config'), join(folder, 'token')];
  await writeFile(tokenFile, config.users[0]?.user.token ?? '');
  const users = config.users.map((each) => ({ ...each, user: { tokenFile } }));
  await writeFile(kubeconfig, JSON.stringify({ ...config, users }));
  return kubeconfig;
};

const linesOf = ({ log }: OperatorProcess, message: RegExp): number =>
  log.filter(({ msg }) => message.test(msg)).length;

const UNACCEPTED = /^the API server does not accept the credentials/;
const STARTED = /^caches filled, loop started$/;

const probes = async ({ log }: OperatorProcess): Promise<readonly number[]> => {
  const port = log.find(({ msg }) => msg === 'operator started')?.['healthPort'];
  const paths = ['/healthz', '/readyz'];
  return Promise.all(paths.map(async (path) => (await fetch(`http://127.0.0.1:${String(port)}${path}`)).status));
};

it('a leader whose credentials end loses its lease and ends once; started again it stays up, not ready, and works with new credentials', async () => {
  const kubeconfig = await withNewToken();
  await using leader = await startInstalledOperator(plane, { kubeconfig, env });
  const account = `/api/v1/namespaces/${OPERATOR}/serviceaccounts/${OPERATOR}`;
  expect((await plane.request('DELETE', account)).status).toBe(200);
  expect(await Promise.race([leader.exited, wait(END_MS, 'still runs', { ref: false })])).toBe(1);
  expect(leader.log.at(-1)).toMatchObject({
    msg: 'operator ended with an error',
    error: { message: expect.stringContaining(`Lost the lease "${OPERATOR}/${OPERATOR}"`) as string },
  });

  await using again = spawnOperator({ kubeconfig, env });
  await waitFor('the refusal to be logged', async () => linesOf(again, UNACCEPTED) > 0);
  await wait(LOOK_MS);
  expect(linesOf(again, UNACCEPTED)).toBe(1);
  expect(await probes(again)).toEqual([200, 503]);

  await installBundle(plane);
  await withNewToken();
  await waitFor('the operator to work', async () => linesOf(again, STARTED) > 0, { timeoutMs: RECOVERY_MS });
  expect(await probes(again)).toEqual([200, 200]);
  expect(await again.stop()).toBe(0);
});
