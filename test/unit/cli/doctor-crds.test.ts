import { describe, expect, it } from 'vitest';
import { compiled } from '#lib/cli/project/definitions.ts';
import type { Cluster } from '#lib/cli/shell/context.ts';
import { crdFindings } from '#lib/cli/verbs/doctor/crds.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const installed = compiled(shelf);
const status = { conditions: [{ type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: '' }] };

const look = (metadata: object) => {
  const crd = { ...installed, metadata: { ...installed.metadata, ...metadata }, status };
  return crdFindings({ api: { get: async () => crd } } as unknown as Cluster, [shelf]);
};

describe('crdFindings()', () => {
  it('crdFindings() names a definition that is being deleted, though it equals the compiled kind', async () => {
    expect(await look({})).toMatchObject([{ state: 'ok' }]);
    const [finding, ...others] = await look({ deletionTimestamp: '2026-11-21T10:00:00Z' });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ check: 'crd', state: 'failed' });
    expect(finding?.message).toContain('shelves.demo.example.com is being deleted with all its resources');
    expect(finding?.fix).toContain('kubectl get shelves.demo.example.com -A');
  });
});
