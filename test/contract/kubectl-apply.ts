import { describe, expect, it } from 'vitest';
import { committedBundle } from '#test/control-plane/install.ts';
import type { KubectlResult } from '#test/control-plane/kubectl.ts';

/** Runs kubectl as a cluster administrator. */
export type Kubectl = (args: readonly string[], options?: { readonly input?: string }) => Promise<KubectlResult>;

/** A Deployment with a field reference, without the version that the server adds to it. */
const deployment = JSON.stringify({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'kubectl-apply', namespace: 'default' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'kubectl-apply' } },
    template: {
      metadata: { labels: { app: 'kubectl-apply' } },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'busybox',
            resources: { limits: { cpu: '0.5' } },
            env: [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          },
        ],
      },
    },
  },
});

/** Tests the results of client-side and server-side apply over each other on a server. */
export const describeKubectlApply = (server: string, kubectl: Kubectl): void => {
  describe(`kubectl apply on ${server}`, () => {
    it('takes the install bundle by the client and by the server, over each other', async () => {
      for (const way of [[], ['--server-side'], [], ['--server-side']]) {
        const { code, stderr } = await kubectl(['apply', ...way, '-f', committedBundle]);
        expect(`${way.join('')} ${code} ${stderr}`).toBe(`${way.join('')} 0 `);
      }
      expect(await kubectl(['diff', '--server-side', '-f', committedBundle])).toMatchObject({ code: 0, stdout: '' });
    });

    it('meets a conflict with itself where a value is compared as a whole, and the server has completed it', async () => {
      const apply = (...way: readonly string[]) => kubectl(['apply', ...way, '-f', '-'], { input: deployment });
      expect((await apply()).code).toBe(0);
      const { stderr } = await apply('--server-side');
      expect(stderr).toMatch(
        /Apply failed with 2 conflicts: conflicts with "kubectl-client-side-apply" using apps\/v1/,
      );
      const names = stderr.match(/\.spec\.\S+/g)?.map((name) => name.replace(/[.:]$/, ''));
      expect([...new Set(names)].toSorted()).toEqual([
        '.spec.template.spec.containers[name="main"].env[name="NAME"].valueFrom.fieldRef',
        '.spec.template.spec.containers[name="main"].resources.limits.cpu',
      ]);
      expect((await apply('--server-side', '--force-conflicts')).code).toBe(0);
      expect((await apply()).code).toBe(0);
      await kubectl(['-n', 'default', 'delete', 'deployment/kubectl-apply', '--wait=false']);
    });
  });
};
