import { existsSync } from 'node:fs';
import type { ControlPlaneAccess } from './client.ts';
import { type Component, logTail } from './component.ts';
import { ControlPlaneError } from './error.ts';
import { waitFor } from './poll.ts';
import { type ApiRequest, createRequest } from './request.ts';
import { harnessUser } from './users.ts';

/** Waits until the API server is ready, but fails when a component has ended. */
export async function waitForApiServer(running: readonly Component[], access: ControlPlaneAccess): Promise<void> {
  const token = access.credentials.find(({ user }) => user === harnessUser)?.token ?? '';
  let answered: ApiRequest | undefined;
  await waitAlive(running, 'the API server to be ready', async () => {
    if (!existsSync(access.caFile)) return false;
    try {
      // A new client until a request is answered: the certificate that the earlier client read may be incomplete.
      const request = answered ?? createRequest(access, () => token);
      const { status } = await request('GET', '/readyz', undefined, { signal: AbortSignal.timeout(5000) });
      answered = request;
      return status === 200;
    } catch {
      // The server does not listen yet.
      return false;
    }
  });
}

interface NodeBody {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Whether the kubelet of a node reports it as ready. */
export async function isNodeReady(request: ApiRequest, name: string): Promise<boolean> {
  const { body } = await request<NodeBody>('GET', `/api/v1/nodes/${name}`, undefined, { user: harnessUser });
  return body.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** Waits, but fails when a component has ended. */
export async function waitAlive(
  running: readonly Component[],
  what: string,
  isTrue: () => Promise<boolean>,
): Promise<void> {
  try {
    await waitFor(what, async () => {
      for (const component of running) component.assertRunning();
      return isTrue();
    });
  } catch (cause) {
    if (!(cause instanceof ControlPlaneError) || cause.code !== 'NOT_READY') throw cause;
    // The logs are removed with the data, so the error contains their last lines.
    const tails = running.map(({ name, logFile }) => `${name}:\n${logTail(logFile, 5)}`);
    throw new ControlPlaneError('NOT_READY', [cause.message, ...tails].join('\n'), { cause });
  }
}
