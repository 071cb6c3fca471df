import { censusOf, countsOf } from '#constructs/pod-set/look/census.ts';
import { nextMoves } from '#constructs/pod-set/move/moves.ts';
import { planPods } from '#constructs/pod-set/move/plan-pods.ts';
import { OwnedPod } from '#constructs/pod-set/pods.ts';
import { isSetComplete, podSetStateOf, podStatusOf } from '#constructs/pod-set/report/status.ts';
import { POD_SET_NAME_LENGTH } from '#constructs/pod-set/schema.ts';
import { plainSettings } from '#constructs/pod-set/settings.ts';
import { classicTemplate } from '#constructs/pod-set/template.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ownerLabels } from '#lib/desired/marks/names.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import type { KindHome } from '#lib/kind/shape.ts';
import {
  containerFailureConditions,
  containerFailureEvents,
  containerFailureIn,
} from '#lib/workload/container-failure.ts';
import { appServiceSpec, appServiceStatus } from './schema.ts';

/**
 * Defines AppService with another group, version, kind or names.
 *
 * @param home - group, version, kind and names, in place of `app.example.com/v1alpha1` AppService; absent members keep their
 *   defaults
 * @example
 * export const service = appServiceWith({ group: 'apps.acme.io' });
 */
export const appServiceWith = (home: KindHome) => {
  const identity = { group: 'app.example.com', version: 'v1alpha1', kind: 'AppService', ...home };
  return defineKind({
    ...identity,
    description: 'AppService keeps a number of classic pods running.',
    name: { maxLength: POD_SET_NAME_LENGTH },
    spec: appServiceSpec,
    status: appServiceStatus,
    scale: { spec: '.spec.replicas', status: '.status.replicas', selector: '.status.selector' },
    columns: [
      { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
      { name: 'Current', type: 'integer', jsonPath: '.status.replicas' },
      { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
    owns: [OwnedPod],
    desired({ resource, children, clock }) {
      const { metadata, spec, status: before } = resource;
      const { name } = metadata;
      const settings = plainSettings(spec.replicas);
      const pods = children.of(Pod);
      const census = censusOf(pods, { revision: undefined, minReadySeconds: 0, clock });
      const counts = countsOf(census);
      const standing = { settings, counts, isShrinking: counts.active > spec.replicas, isUpdating: false };
      const moves = nextMoves({ settings, census, counts, isRolling: false, clock });
      const recipe = { template: classicTemplate, labels: { app: name } };
      const lastFailure = before?.lastFailure;
      const reading = { conditions: before?.conditions, clock };
      const failure = isSetComplete(standing) ? undefined : containerFailureIn(pods, reading);
      const plan = planPods({ set: metadata, settings, pods, census, moves, recipe, lastFailure, clock });
      return {
        children: plan.intents,
        status: {
          ...podStatusOf({ active: census.active, counts }, ownerLabels(identity, name)),
          ...(plan.lastFailure && { lastFailure: plan.lastFailure }),
        },
        state: podSetStateOf({ ...standing, isOverdue: false, failure }),
        conditions: containerFailureConditions(failure),
        events: containerFailureEvents(failure, reading),
      };
    },
  });
};

/**
 * AppService: a number of classic pods that are never updated. Scaling and pod names are as in PodSet; the number of pods is the
 * only setting.
 *
 * @example
 * await run({ kinds: [appService] });
 */
export const appService = appServiceWith({});
