import { describe, expect, it } from 'vitest';
import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import { createApiServer } from '#lib/apiserver/server/server.ts';
import { createNodes } from '#lib/embedded/upkeep/nodes.ts';

describe('createNodes()', () => {
  it('createNodes() reports what no virtual machine has as empty texts', () => {
    const server = createApiServer({ kinds: builtinKinds, now: () => 0 });
    createNodes(server, ['node-a'], 0);
    const [node] = server.objects({ group: '', plural: 'nodes' });
    expect(node?.['status']).toMatchObject({
      nodeInfo: { machineID: '', systemUUID: '', bootID: '', kernelVersion: '', osImage: '', kubeProxyVersion: '' },
    });
  });
});
