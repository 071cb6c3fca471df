import type { Invariant, Scenario } from 'cdk8s-reconcile/testing';
import { runner } from './runner.ts';

const runners = { apiVersion: 'demo.example.com/v1alpha1', plural: 'runners' };
const pods = { group: '', plural: 'pods' };

const atMostOnePod: Invariant = {
  name: 'one pod at most',
  check: (view) => (view.objects(pods).length > 1 ? `${view.objects(pods).length} pods` : undefined),
};

export const scenario: Scenario = {
  name: 'runner',
  kinds: [runner],
  script: [
    {
      label: 'user creates a runner',
      run: (user) => {
        const metadata = { name: 'hello', namespace: 'default' };
        user.create(runners, { apiVersion: runners.apiVersion, kind: 'Runner', metadata, spec: { image: 'busybox' } });
      },
    },
  ],
  invariants: () => [atMostOnePod],
  outcome: (view) => view.objects(pods).length,
};
