import { ELSEWHERE_LABEL, elsewhereName, PARENT_MARK, parentMarkOf } from '#lib/desired/marks/elsewhere.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import type { FakeApi } from '#test/unit/support/fake-api.ts';
import { Probe } from '#test/unit/support/probe-town.ts';

/** The name of a child for {@link leaveBehind}, before it is made unique. */
export const numbered = (index: number): string => `old-${String(index).padStart(3, '0')}`;

/** Creates children of `default/next`, a resource that was deleted, in the namespace `logging`. */
export const leaveBehind = (api: FakeApi, count: number): void => {
  const owner = { apiVersion: Probe.apiVersion, kind: 'Probe', name: 'next', uid: 'gone' };
  const mark = parentMarkOf({ definition: 'demo.example.com/probe', namespace: 'default', owner });
  for (let index = 0; index < count; index += 1) {
    const name = elsewhereName({ metadata: { namespace: 'default', name: 'next', uid: 'gone' } }, numbered(index));
    const labels = { [ELSEWHERE_LABEL]: 'gone' };
    const metadata = { name, namespace: 'logging', labels, annotations: { [PARENT_MARK]: mark } };
    api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  }
};
