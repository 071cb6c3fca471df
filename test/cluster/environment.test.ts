import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, startInstalledOperator } from '#test/control-plane/install.ts';
import {
  type LogLine,
  type OperatorProcess,
  type OperatorProcessOptions,
  spawnOperator,
} from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';

let plane: ControlPlane;
let folder: string;

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false, users: [{ name: 'nobody' }] });
  folder = await mkdtemp(join(tmpdir(), 'operator-environment-'));
});

afterAll(async () => {
  await plane?.stop();
  await rm(folder, { recursive: true, force: true });
});

const kubeconfig = async (name: string, { server, token }: { server: string; token: string }): Promise<string> => {
  const path = join(folder, name);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority': plane.access.caFile } }],
    users: [{ name: 'test', user: { token } }],
  };
  await writeFile(path, JSON.stringify(config));
  return path;
};

const failures = ({ log }: OperatorProcess): readonly LogLine[] =>
  log.filter(({ msg }) => msg === 'watch failed, trying again');

/** Runs an operator that cannot start to work, until its log contains the reason twice: the operator keeps trying. */
const patiently = async (path: string): Promise<{ readonly line: LogLine; readonly code: number | null }> => {
  await using operator = spawnOperator({ kubeconfig: path });
  await waitFor('two attempts', async () => failures(operator).length >= 4);
  const [line] = failures(operator);
  if (!line) throw new Error('no line');
  const code = await operator.stop();
  expect(operator.errors()).toBe('');
  return { line, code };
};

/** Runs an operator that ends by itself. @returns the error in the only line that it logs */
const endsWith = async (options: OperatorProcessOptions): Promise<unknown> => {
  await using operator = spawnOperator(options);
  expect(await operator.exited).toBe(1);
  expect(operator.errors()).toBe('');
  expect(operator.log).toMatchObject([{ level: 'error', msg: 'operator ended with an error' }]);
  return operator.log[0]?.['error'];
};

const said = (message: RegExp | string): unknown => ({
  name: 'ConfigurationError',
  code: 'Configuration',
  message: expect.stringMatching(message) as string,
});

describe('operator in a bad environment', () => {
  it('exits with one clear line when there is no kubeconfig', async () => {
    const error = await endsWith({ kubeconfig: '', env: { HOME: folder } });
    expect(error).toEqual(said(/KUBECONFIG is not set.*\.kube.config.*set KUBECONFIG/));
  });

  it('exits with one clear line when the kubeconfig does not exist', async () => {
    const missing = join(folder, 'missing');
    expect(await endsWith({ kubeconfig: missing })).toEqual(said(missing));
  });

  it.each([
    { variable: 'HEALTH_PORT', value: 'http', expected: 'HEALTH_PORT is "http": set it to a TCP port from 0 to 65535' },
    {
      variable: 'LOG_LEVEL',
      value: 'loud',
      expected: 'LOG_LEVEL is "loud": set it to one of debug, info, warn, error, silent',
    },
  ])('exits with one clear line when $variable is malformed', async ({ variable, value, expected }) => {
    const error = await endsWith({ kubeconfig: plane.kubeconfig, env: { [variable]: value } });
    expect(error).toEqual(said(`^${expected}$`));
  });

  it('stays up, not ready, when its token is not accepted, says so, and does not print the token', async () => {
    const token = 'expired-or-made-up';
    const path = await kubeconfig('expired', { server: plane.url, token });
    await using operator = spawnOperator({ kubeconfig: path });
    const refusals = () =>
      operator.log.filter(({ msg }) => msg.startsWith('the API server does not accept the credentials'));
    await waitFor('the refusal to be logged', async () => refusals().length > 0);
    const port = operator.log.find(({ msg }) => msg === 'operator started')?.['healthPort'];
    const probe = async (of: string): Promise<number> => (await fetch(`http://127.0.0.1:${String(port)}${of}`)).status;
    expect([await probe('/healthz'), await probe('/readyz')]).toEqual([200, 503]);
    expect(await operator.stop()).toBe(0);
    expect(operator.errors()).toBe('');
    expect(JSON.stringify(operator.log)).not.toContain(token);
  });

  it('waits and says why when the server cannot be reached', async () => {
    const path = await kubeconfig('unreachable', { server: 'https://127.0.0.1:1', token: 'x' });
    const { line, code } = await patiently(path);
    expect(line).toMatchObject({ level: 'error', error: { code: 'Connection' } });
    expect(JSON.stringify(line)).toMatch(
      /127\.0\.0\.1:1 refused the connection; is the API server running.*ECONNREFUSED/,
    );
    expect(code).toBe(0);
  });

  it('waits and says why when rights are missing', async () => {
    const { line, code } = await patiently(plane.kubeconfigFor('nobody'));
    expect(line).toMatchObject({ error: { code: 'Forbidden' } });
    expect(JSON.stringify(line)).toMatch(/nobody.*cannot (?:list|watch).*apply the ClusterRole/);
    expect(code).toBe(0);
  });

  it('waits and says why when the CRD is missing, and works as soon as it is there', async () => {
    await using operator = spawnOperator({ kubeconfig: plane.kubeconfig });
    const failure = () => failures(operator).find(({ resource }) => resource === 'podsets.app.example.com');
    await waitFor('the failure to be logged', async () => failure() !== undefined);
    expect(failure()).toMatchObject({ error: { code: 'NotFound' } });
    expect(JSON.stringify(failure())).toContain('apply the CustomResourceDefinition');
    await installBundle(plane);
    await waitFor('the loop to start', async () =>
      operator.log.some(({ msg }) => msg === 'caches filled, loop started'),
    );
  });

  it('is live before it is ready, ready when its caches are filled, and exits 0 on SIGTERM', async () => {
    await installBundle(plane);
    await using operator = await startInstalledOperator(plane);
    const port = operator.log.find(({ msg }) => msg === 'operator started')?.['healthPort'];
    const probe = async (path: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${String(port)}${path}`)).status;
    expect([await probe('/healthz'), await probe('/readyz'), await probe('/other')]).toEqual([200, 200, 404]);
    expect(await operator.stop('SIGTERM')).toBe(0);
    expect(operator.log.at(-1)).toMatchObject({ msg: 'operator stopping', reason: 'SIGTERM' });
  });
});
