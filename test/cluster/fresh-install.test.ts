import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { committedBundle, committedSamples, OPERATOR } from '#test/control-plane/install.ts';
import { type LogLine, spawnOperator, works } from '#test/control-plane/operator-process.ts';
import { statusWith } from './own-operator.ts';

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane();
});

afterAll(async () => {
  await plane?.stop();
});

const applied = async (file: string): Promise<void> => {
  const { code, stderr } = await plane.kubectl(['apply', '-f', file]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
};

const watchOf = ({ resource, namespace }: LogLine): string => `${String(resource)} ${String(namespace)}`;

describe('a fresh installation', () => {
  it('logs no error, and one warning at most of each watch, on a new API server right after the bundle', async () => {
    await applied(committedBundle);
    await using operator = await works(
      spawnOperator({
        kubeconfig: await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR),
        env: { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR },
      }),
    );
    await applied(committedSamples);
    await statusWith(plane, '/apis/app.example.com/v1alpha1/namespaces/default/podsets/example-podset', {
      readyReplicas: 3,
    });
    const warnings = operator.log.filter(({ msg }) => msg === 'watch failed, trying again').map(watchOf);
    expect(operator.log.filter(({ level }) => level === 'error')).toEqual([]);
    expect(warnings).toEqual([...new Set(warnings)]);
    expect(await operator.stop()).toBe(0);
    expect(operator.errors()).toBe('');
  });
});
