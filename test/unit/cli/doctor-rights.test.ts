import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { InstalledOperator } from '#lib/cli/verbs/doctor/operator.ts';
import { rightsFindings } from '#lib/cli/verbs/doctor/rights.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { flag } from '#test/unit/support/fleet-kind.ts';

interface AskedRight {
  readonly verb: string;
  readonly resource: string;
  readonly namespace?: string;
}

/** The message of doctor when the service account lacks some rights. */
const messageFor = async (
  kinds: readonly AnyKindDefinition[],
  operator: Partial<InstalledOperator>,
  isRefused: (right: AskedRight) => boolean,
): Promise<string | undefined> => {
  const ask = async (_path: string, body?: object) => {
    const { resourceAttributes } = (body as { spec: { resourceAttributes: AskedRight } }).spec;
    return { code: 201, body: { status: { allowed: !isRefused(resourceAttributes) } }, date: undefined };
  };
  const installed = {
    namespace: 'system',
    serviceAccount: 'operator',
    namespaces: undefined,
    hasEffects: false,
    hasEvents: true,
    ...operator,
  } as InstalledOperator;
  const [finding] = await rightsFindings({ ask } as never, [installed], kinds);
  return finding?.message;
};

const onEvents = ({ resource }: AskedRight): boolean => resource === 'events';

describe('the rights that doctor checks', () => {
  it('include events, unless the operator writes none', async () => {
    expect(await messageFor([podSet], {}, onEvents)).toContain('may not create events.events.k8s.io');
    expect(await messageFor([podSet], { hasEvents: false }, onEvents)).toContain('may do all');
  });

  it('include events about cluster-scoped resources in the namespace default', async () => {
    const message = await messageFor([flag], { namespaces: ['team-a'] }, onEvents);
    expect(message).toContain('may not create events.events.k8s.io in default');
  });
});
