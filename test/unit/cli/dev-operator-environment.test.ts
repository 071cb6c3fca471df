import { describe, expect, it } from 'vitest';
import { serviceAccount } from '#lib/cli/verbs/dev/cluster/rights.ts';
import { operatorEnvironment } from '#lib/cli/verbs/dev/operator/operator-environment.ts';
import { processSettingsOf } from '#lib/runtime/settings.ts';

const namespaceOf = (env: Record<string, string>) =>
  processSettingsOf(operatorEnvironment(env, { namespaces: [] })).loop.ownNamespace;

describe('operatorEnvironment()', () => {
  it('operatorEnvironment() gives the operator the namespace of its service account, whatever the environment of dev has', () => {
    const { namespace } = serviceAccount();
    expect(namespace).toBeTruthy();
    expect(namespaceOf({})).toBe(namespace);
    expect(namespaceOf({ POD_NAMESPACE: 'default' })).toBe(namespace);
  });
});
