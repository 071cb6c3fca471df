import type { Obstacle } from '#constructs/rollout/engine/adapter.ts';
import type { RolloutMemory } from '#constructs/rollout/engine/state/memory.ts';
import { isPausedBy, pauses } from '#constructs/rollout/engine/state/pauses.ts';
import { childWith, type RolloutSituation } from '#constructs/rollout/engine/state/situation.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { revisionName } from '#lib/workload/controller-revision.ts';
import { checkTemplate, type TemplateCheck } from '#lib/workload/template-check.ts';

/**
 * Whether the requested version would replace another version, has no Deployment yet, and does not wait because of
 * `spec.paused`. The template of a first version is not checked, because no running version is at risk.
 */
const needsDryRun = (memory: RolloutMemory, situation: RolloutSituation): boolean => {
  const { hash } = situation.adapter.requested;
  const { canaryHash, stableHash } = memory;
  if (canaryHash === undefined || hash === canaryHash || hash === stableHash) return false;
  return !isPausedBy(memory, pauses.spec) && childWith(situation, hash) === undefined;
};

/**
 * The Deployment for the dry run, without pods. This Deployment has the name of the ControllerRevision of the version, because
 * another Deployment may still have the final name.
 */
const probeOf = ({ adapter, metadata }: RolloutSituation): KubeObject => {
  const deployment = adapter.deploymentOf(adapter.requested.hash, 0);
  const name = revisionName(metadata.name, adapter.requested.hash);
  return { ...deployment, metadata: { ...deployment.metadata, name } };
};

/**
 * Requests a dry run of the Deployment of the requested version before its rollout begins, and reads the result.
 *
 * Caveats: policies that only apply to pods (Pod Security, for example) take effect later, when the Deployment creates pods.
 *
 * @returns `undefined` when no dry run is needed
 */
export const admissionOf = (memory: RolloutMemory, situation: RolloutSituation): TemplateCheck | undefined =>
  needsDryRun(memory, situation)
    ? checkTemplate({
        revision: situation.adapter.requested.hash,
        generation: situation.metadata.generation,
        object: probeOf(situation),
        outcomes: situation.outcomes,
        conditions: situation.stored.conditions ?? [],
        clock: situation.clock,
      })
    : undefined;

type Unaccepted = TemplateCheck & { readonly verdict: 'unknown' | 'invalid' };

/** Whether the rollout of the requested version waits because its dry run has no result yet, or was refused. */
export const isTemplateHeld = (admission: TemplateCheck | undefined): admission is Unaccepted =>
  admission !== undefined && admission.verdict !== 'valid';

const faultIn = (message: string): string => message.replace(/^\S+ of the template is invalid: /, '');

/**
 * The obstacle when the API server refuses the template; otherwise `undefined`. The rollout waits until a later dry run accepts
 * the template, or the spec changes.
 */
export const refusedTemplate = (
  admission: TemplateCheck | undefined,
  { adapter }: RolloutSituation,
): Obstacle | undefined =>
  admission?.verdict === 'invalid'
    ? {
        reason: 'InvalidTemplate',
        message: `version ${adapter.requested.version} is not rolled out, the API server refuses it: ${faultIn(admission.condition.message)}`,
      }
    : undefined;
