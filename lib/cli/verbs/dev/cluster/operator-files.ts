import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubeconfigOf } from '#lib/embedded/kubeconfig.ts';
import { ConfigurationError } from '#lib/errors.ts';
import type { Credentials } from '#lib/kube/credentials/authentication.ts';
import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';
import { textAt } from '../../../objects/json.ts';
import type { Cluster } from '../../../shell/context.ts';
import { DEV } from './rights.ts';

/**
 * Lifetime of a token, in seconds. The lifetime is short, because a token stays valid after the end of `dev` while its service
 * account exists. {@link RENEWAL_MS} is much shorter.
 */
const TOKEN_SECONDS = 3600;

/** Interval of renewals, in milliseconds. The API server may give a token a shorter lifetime than requested. */
const RENEWAL_MS = 4 * 60_000;

const TOKEN_PATH = `/api/v1/namespaces/${DEV}/serviceaccounts/${DEV}/token`;

const tokenFrom = async (cluster: Cluster): Promise<string> => {
  const spec = { expirationSeconds: TOKEN_SECONDS };
  const { code, body } = await cluster.ask(TOKEN_PATH, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec,
  });
  const token = textAt(body, 'status', 'token');
  if (token !== undefined) return token;
  throw new ConfigurationError(
    `Cannot get a token of the service account ${DEV}/${DEV}: ${cluster.server} answers ${code} ${textAt(body, 'message') ?? ''}`,
  );
};

const kubeconfigText = async (credentials: Credentials, tokenFile: string): Promise<string> => {
  const { tls } = await credentials.authenticate();
  const { server } = credentials;
  return JSON.stringify(kubeconfigOf({ name: DEV, server, tls, user: DEV, auth: { tokenFile }, namespace: DEV }));
};

/** Options for {@link operatorFiles}. */
export interface OperatorFilesOptions {
  readonly cluster: Cluster;
  readonly credentials: Credentials;
  /** Called with the error of a failed renewal. */
  readonly onFailure: (error: unknown) => void;
  /** @default timers of this process */
  readonly timers?: Timers;
}

/**
 * Makes the credential files of the operator in a folder. `write` writes the files, and a timer renews the token until disposal.
 */
export const operatorFiles = (
  folder: string,
  { cluster, credentials, onFailure, timers = systemTimers }: OperatorFilesOptions,
) => {
  const [kubeconfig, tokenFile] = [join(folder, 'kubeconfig'), join(folder, 'token')];
  const replace = async (): Promise<void> => {
    await writeFile(`${tokenFile}.new`, await tokenFrom(cluster), { mode: 0o600 });
    await rename(`${tokenFile}.new`, tokenFile);
  };
  // Concurrent calls share one renewal, because they write the same file.
  let renewal: Promise<void> | undefined;
  const renew = (): Promise<void> => {
    renewal ??= replace().finally(() => (renewal = undefined));
    return renewal;
  };
  const renewAgain = (): void => {
    cancel = timers.setTimer(RENEWAL_MS, renewAgain);
    // A failed renewal is repeated at the next interval.
    void renew().catch(onFailure);
  };
  let cancel = timers.setTimer(RENEWAL_MS, renewAgain);
  return {
    write: async (): Promise<string> => {
      await renew();
      await writeFile(kubeconfig, await kubeconfigText(credentials, tokenFile), { mode: 0o600 });
      return kubeconfig;
    },
    [Symbol.dispose]: (): void => cancel(),
  };
};
