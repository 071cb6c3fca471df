import { ARGO_CD_NAMESPACE, type ArgoCd } from '#test/company/gitops/argo-cd.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { OPERATOR } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';

/** The name of the Application: that of its project, as `init` writes it. */
export const APPLICATION = OPERATOR;

/** An Application as the API server returns it. */
export interface Application {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly sync?: { readonly status: string; readonly revision?: string };
    readonly health?: { readonly status?: string };
    readonly reconciledAt?: string;
    readonly history?: readonly object[];
    readonly conditions?: readonly { readonly type: string; readonly message: string }[];
    readonly operationState?: {
      readonly phase: string;
      readonly message?: string;
      readonly retryCount?: number;
      readonly syncResult?: { readonly revision?: string };
    };
    readonly resources?: readonly {
      readonly kind: string;
      readonly name: string;
      readonly status?: string;
    }[];
  };
}

const PATH = `/apis/argoproj.io/v1alpha1/namespaces/${ARGO_CD_NAMESPACE}/applications/${APPLICATION}`;

/** @returns the Application; undefined when it does not exist */
export const readApplication = async (plane: ControlPlane): Promise<Application | undefined> => {
  const { status, body } = await plane.request<Application>('GET', PATH);
  return status === 404 ? undefined : body;
};

/** Patches the Application as a user does; members with null are removed. */
export const patchApplication = async (plane: ControlPlane, change: object): Promise<void> => {
  const { status, body } = await plane.request('PATCH', PATH, change, { contentType: 'application/merge-patch+json' });
  if (status !== 200) throw new Error(`The Application cannot be changed: ${status} ${JSON.stringify(body)}`);
};

/** An object that the Application has created, or a descendant of such an object. */
export interface Node {
  readonly group?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly health?: { readonly status?: string; readonly message?: string };
}

/** Health of objects by `Kind/name`, as Argo CD shows it. */
export const healthOf = async ({ url }: ArgoCd): Promise<ReadonlyMap<string, string>> => {
  const response = await fetch(`${url}/api/v1/applications/${APPLICATION}/resource-tree`);
  const { nodes = [] } = (response.ok ? await response.json() : {}) as { readonly nodes?: readonly Node[] };
  return new Map(nodes.map(({ kind, name, health }) => [`${kind}/${name}`, health?.status ?? '']));
};

/** Formats the state of an Application in one line for a message. */
export const sayApplication = (application: Application | undefined): string => {
  const { sync, health, operationState, conditions = [], resources = [] } = application?.status ?? {};
  const behind = resources.filter(({ status }) => status !== 'Synced').map(({ kind, name }) => `${kind}/${name}`);
  const { phase, message, retryCount } = operationState ?? {};
  return [
    `${sync?.status} ${health?.status}, last sync ${phase} (${message}), ${retryCount ?? 0} retries`,
    ...(behind.length > 0 ? [`not in sync: ${behind.join(', ')}`] : []),
    ...conditions.map(({ type, message: said }) => `${type}: ${said}`),
  ].join('; ');
};

/** The state to wait for. */
export interface Goal {
  readonly commit: string;
  /** @default 'Healthy' */
  readonly health?: string;
}

/** Whether the last sync applied a commit, no object differs from the commit, and the health is as expected. */
export const isAt = (application: Application | undefined, { commit, health = 'Healthy' }: Goal): boolean => {
  const { sync, health: shown, operationState } = application?.status ?? {};
  return (
    sync?.status === 'Synced' &&
    sync.revision === commit &&
    shown?.status === health &&
    operationState?.phase === 'Succeeded'
  );
};

/**
 * Waits until an Application is Synced with a commit and has an expected health.
 *
 * @throws {Error} at once when a sync of this commit has failed or is retried: the first try must succeed
 */
export const untilAt = async (plane: ControlPlane, goal: Goal): Promise<void> => {
  let last: Application | undefined;
  try {
    await waitFor(
      `the Application to be ${goal.health ?? 'Healthy'} with ${goal.commit}`,
      async () => {
        last = await readApplication(plane);
        const { phase, retryCount = 0, syncResult } = last?.status?.operationState ?? {};
        const hasFailed = phase === 'Failed' || phase === 'Error' || retryCount > 0;
        if (hasFailed && syncResult?.revision === goal.commit) throw new Error('A sync has failed');
        return isAt(last, goal);
      },
      { pollMs: 250, timeoutMs: 240_000 },
    );
  } catch (cause) {
    throw new Error(`${String(cause)}: ${sayApplication(last)}`, { cause });
  }
};
