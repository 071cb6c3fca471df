import { setTimeout as sleep } from 'node:timers/promises';
import type { Pod } from 'kubernetes-types/core/v1.js';
import { OPERATOR } from '#test/control-plane/install.ts';
import type { LogLine } from '#test/control-plane/operator-process.ts';
import type { RealNode } from '../node.ts';
import { kubectl, read } from './operator-node.ts';

/** A line that is not JSON comes from Node itself, and counts as an error. */
const lineOf = (text: string): LogLine => {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { level: 'error', msg: text };
  }
};

const linesOf = (text: string): readonly LogLine[] => text.split('\n').filter(Boolean).map(lineOf);

const isError = ({ level }: LogLine): boolean => level === 'error' || level === 'fatal';

/** The lines of level error in the log of a pod. @throws {Error} when its log is empty */
export const errorsOf = async (node: RealNode, pod: string): Promise<readonly LogLine[]> => {
  const lines = linesOf(await kubectl(node, ['logs', pod, `--namespace=${OPERATOR}`]));
  if (lines.length === 0) throw new Error(`Pod ${pod} has logged nothing`);
  return lines.filter(isError);
};

/** The logs of all pods of the operator, also of those that end: the kubelet removes the log of a deleted pod. */
export interface FollowedLogs {
  /** Ends, and gives the lines of level error, by pod. */
  readonly errors: () => Promise<Readonly<Record<string, readonly LogLine[]>>>;
}

const hasStarted = ({ status }: Pod): boolean => (status?.containerStatuses?.[0]?.containerID ?? '') !== '';

const POLL_MS = 200;

/** Follows the log of each pod from its start. */
export const followLogs = (node: RealNode): FollowedLogs => {
  const followed = new Map<string, Promise<string>>();
  const end = new AbortController();
  const follow = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const { items } = await read<{ readonly items: readonly Pod[] }>(node, ['pods', `--namespace=${OPERATOR}`]);
      for (const pod of items.filter(hasStarted)) {
        const name = pod.metadata?.name ?? '';
        const args = ['logs', '--follow', name, `--namespace=${OPERATOR}`];
        if (!followed.has(name))
          followed.set(
            name,
            node.kubectl(args).then(({ stdout }) => stdout),
          );
      }
      await sleep(POLL_MS);
    }
  };
  const following = follow();
  // The result of the test reports the rejection, unless the node has ended before.
  following.catch(() => undefined);
  return {
    errors: async () => {
      end.abort();
      await following;
      const { items } = await read<{ readonly items: readonly Pod[] }>(node, ['pods', `--namespace=${OPERATOR}`]);
      const living = new Set(items.map(({ metadata }) => metadata?.name));
      const found: Record<string, readonly LogLine[]> = {};
      for (const [name, text] of followed)
        found[name] = living.has(name) ? await errorsOf(node, name) : linesOf(await text).filter(isError);
      return found;
    },
  };
};
