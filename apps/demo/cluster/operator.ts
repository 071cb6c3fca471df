import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubeconfigOf } from '#lib/embedded/kubeconfig.ts';
import { privateFolder } from '#lib/process/private-folder.ts';
import { OPERATOR } from '#test/control-plane/install.ts';
import { startOperator } from '#test/control-plane/operator-process.ts';
import type { Access } from './access.ts';

/** An operator that runs on this machine, as the ServiceAccount of its bundle. */
export interface RunningOperator extends AsyncDisposable {
  /** @throws {Error} when it did not end as it should, with what it wrote */
  readonly stop: () => Promise<void>;
}

const EXPIRATION_SECONDS = 3600;

const tokenOf = async ({ send }: Access): Promise<string> => {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: EXPIRATION_SECONDS },
  };
  const path = `/api/v1/namespaces/${OPERATOR}/serviceaccounts/${OPERATOR}/token`;
  const { status } = await send<{ readonly status: { readonly token: string } }>({ method: 'POST', path, body });
  return status.token;
};

const kubeconfigFor = async ({ credentials }: Access, token: string): Promise<string> => {
  const { tls } = await credentials.authenticate();
  const { server } = credentials;
  return JSON.stringify(kubeconfigOf({ name: 'demo', server, tls, user: OPERATOR, auth: { token } }));
};

/** Starts the operator under a fresh token of its own ServiceAccount: it may do what the bundle grants, and nothing else. */
export const runOperator = async (access: Access): Promise<RunningOperator> => {
  await using endings = new AsyncDisposableStack();
  const folder = endings.adopt(await privateFolder('operator'), ({ remove }) => remove());
  const kubeconfig = join(folder.path, 'kubeconfig');
  await writeFile(kubeconfig, await kubeconfigFor(access, await tokenOf(access)), { mode: 0o600 });
  const env = { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR };
  const operator = endings.adopt(
    await startOperator({ kubeconfig, env }),
    async (started) => void (await started.stop()),
  );
  const whole = endings.move();
  const stop = async (): Promise<void> => {
    const code = await operator.stop();
    if (code !== 0) throw new Error(`The operator ended with code ${code}: ${operator.errors()}`);
  };
  return { stop, [Symbol.asyncDispose]: () => whole.disposeAsync() };
};
