import type { Deployment as KubeDeployment } from 'kubernetes-types/apps/v1.js';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { COMMAND_ANNOTATION } from '#constructs/rollout/engine/decide/command.ts';
import { canonical } from '#lib/desired/canonical/canonical.ts';
import { type Instant, instantOf, microsOf } from '#lib/desired/clock.ts';
import type { Resource } from '#lib/desired/definition.ts';
import type { DryRunOutcome, Refusal } from '#lib/desired/observation.ts';
import { observationOf, type Situation } from '#lib/desired/observe/observation-of.ts';
import type { Desired, DesiredEvent, Effect } from '#lib/desired/result/desired.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';

type Spec = Situation<typeof canaryRollout.spec, typeof canaryRollout.status>['spec'];
type Status = NonNullable<Resource<typeof canaryRollout.spec, typeof canaryRollout.status>['status']>;

/** Maximum number of passes until nothing changes; a rollout that needs more never ends. */
const MAX_PASSES = 300;

/**
 * True for a refusal that blocks the write: a name in use or a refused object, but not a field that a policy overrides.
 */
const blocks = ({ kind, name, reason }: Refusal, key: string): boolean =>
  reason !== 'FieldConflict' && `${kind}/${name}` === key;

/** A template whose image names the version. */
export const templateOf = (version: string) => ({ spec: { containers: [{ name: 'web', image: `web:${version}` }] } });

/** One second in microseconds. */
const SECOND = 1_000_000;

/** The classic steps: 120 seconds of sleep. */
const classicSteps = [
  { percent: 10, sleep: 60 },
  { percent: 30, sleep: 30 },
  { percent: 60, sleep: 30 },
  { percent: 100 },
];

const versionIn = (object: Readonly<KubeDeployment>): string =>
  object.spec?.template.spec?.containers[0]?.image?.replace('web:', '') ?? '?';

/**
 * A CanaryRollout, its children, and a Deployment controller that acts at once. It runs the function pass by pass, as
 * the loop does.
 */
export class RolloutBench {
  spec: Spec;
  status: Status | undefined;
  annotations: Record<string, string> = {};
  refused: readonly Refusal[] = [];
  /** Deployments and ControllerRevisions, by kind and name. */
  readonly objects = new Map<string, KubeObject>();
  readonly events: DesiredEvent[] = [];
  /** The last result of the function. */
  last: Desired<Status> | undefined;
  /**
   * The highest number of requested pods, and the lowest number of available ones since the first version was complete.
   */
  most = 0;
  fewest = Infinity;
  /** Maximum number of available pods, by version; without an entry all pods become available. */
  readonly healthy = new Map<string, number>();
  /** The API server's refusals of the Deployments of a version, by version; without an entry it accepts them. */
  readonly unacceptable = new Map<string, (name: string) => string>();
  /** True when the API server answers no dry runs. */
  isMute = false;
  readonly #dryRuns: Record<string, DryRunOutcome> = {};
  /** The size to which a policy raises every Deployment, which the loop reports as a conflict; 0 without a policy. */
  floor = 0;
  /** Names of Deployments that their controller ignores. */
  readonly ignored = new Set<string>();
  #micros = microsOf('2026-01-01T00:00:00Z');
  #generation = 1;
  #uid = 0;

  constructor(spec: Partial<Spec> = {}) {
    this.spec = { replicas: 10, template: templateOf('1'), steps: classicSteps, ...spec };
  }

  get now(): Instant {
    return instantOf(this.#micros);
  }

  get deployments(): readonly KubeDeployment[] {
    return [...this.objects.values()].filter(({ kind }) => kind === 'Deployment') as KubeDeployment[];
  }

  /** Replicas by version. */
  get sizes(): Record<string, number> {
    return Object.fromEntries(this.deployments.map((object) => [versionIn(object), object.spec?.replicas ?? 0]));
  }

  get reasons(): readonly string[] {
    return this.events.map(({ reason }) => reason);
  }

  get available(): number {
    return this.deployments.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
  }

  condition(type: string): string {
    const found = this.last?.conditions?.find((condition) => condition.type === type);
    return `${found?.status ?? '?'} ${found?.reason ?? ''}`;
  }

  deploymentOf(version: string): KubeDeployment {
    const found = this.deployments.find((object) => versionIn(object) === version);
    if (found === undefined) throw new Error(`no Deployment of version ${version}`);
    return found;
  }

  edit(spec: Partial<Spec>): void {
    this.spec = { ...this.spec, ...spec };
    this.#generation += 1;
  }

  rollTo(version: string): void {
    this.edit({ template: templateOf(version) });
  }

  command(verb: string, { id = verb, revision = this.status?.canaryHash ?? '' } = {}): void {
    this.annotations = { [COMMAND_ANNOTATION]: JSON.stringify({ id, verb, revision }) };
  }

  /** Changes the size of a Deployment as a user. */
  scaleByHand(version: string, replicas: number): void {
    const object = this.deploymentOf(version);
    if (object.spec) object.spec.replicas = replicas;
    const { generation = 0 } = object.metadata ?? {};
    object.metadata = { ...object.metadata, generation: generation + 1 };
  }

  remove(version: string): void {
    this.objects.delete(`Deployment/${this.deploymentOf(version).metadata?.name}`);
  }

  /** Advances the time, and runs the passes that the rollout needs at each time that {@link RolloutBench.#noticed} returns. */
  wait(seconds: number): this {
    const end = this.#micros + seconds * SECOND;
    while (this.#micros < end) {
      this.#micros = Math.min(end, this.#noticed());
      this.settle();
    }
    return this;
  }

  /** Advances the time in one step. */
  later(seconds: number): this {
    this.jump(seconds);
    return this.settle();
  }

  /** Steps the clock forward or back. */
  jump(seconds: number): void {
    this.#micros += seconds * SECOND;
  }

  /** Runs one pass of the loop, and the controllers. */
  pass(): boolean {
    const answer = canaryRollout.desired(this.#observed());
    this.last = answer;
    const writes = answer.children.filter((intent) => this.#write(intent));
    this.controllers();
    const isAnswered = (answer.effects ?? []).map((effect) => this.#answer(effect)).includes(true);
    if (writes.length > 0) return true;
    const same = JSON.stringify(canonical(answer.status)) === JSON.stringify(canonical(this.status ?? {}));
    if (same) return isAnswered;
    this.status = structuredClone(answer.status);
    this.events.push(...(answer.events ?? []));
    return true;
  }

  /** Runs passes until a condition of the status holds. */
  passUntil(holds: (status: Partial<Status>) => boolean): void {
    for (let passes = 0; passes < MAX_PASSES; passes += 1) if (holds(this.status ?? {}) || !this.pass()) return;
  }

  /** Runs passes until nothing changes. */
  settle(): this {
    this.controllers();
    for (let passes = 0; passes < MAX_PASSES; passes += 1) if (!this.pass()) return this;
    throw new Error('it does not come to rest');
  }

  /** Runs the controllers of the Deployments that are not ignored. */
  controllers(): void {
    for (const object of this.deployments) {
      if (this.ignored.has(object.metadata?.name ?? '')) continue;
      const replicas = object.spec?.replicas ?? 0;
      const available = Math.min(replicas, this.healthy.get(versionIn(object)) ?? Infinity);
      const { generation = 1 } = object.metadata ?? {};
      object.status = {
        observedGeneration: generation,
        replicas,
        readyReplicas: available,
        availableReplicas: available,
      };
    }
    const asked = this.deployments.reduce((sum, { spec }) => sum + (spec?.replicas ?? 0), 0);
    this.most = Math.max(this.most, asked);
    if (this.status?.stableHash !== undefined) this.fewest = Math.min(this.fewest, this.available);
  }

  /** The time of the next pass: during a sleep the end of the sleep, at rest never, otherwise the next second. */
  #noticed(): number {
    const { sleepUntil, phase, belowTargetSince } = this.status ?? {};
    if (phase === 'Healthy') return Infinity;
    const isAsleep = sleepUntil !== undefined && belowTargetSince === undefined;
    return Math.max(this.#micros + SECOND, isAsleep ? microsOf(sleepUntil) : 0);
  }

  #observed() {
    return observationOf(canaryRollout, {
      spec: this.spec,
      metadata: {
        name: 'web',
        generation: this.#generation,
        annotations: this.annotations,
        annotationManagers: Object.fromEntries(Object.keys(this.annotations).map((key) => [key, 'kubectl-annotate'])),
      },
      ...(this.status === undefined ? {} : { status: this.status }),
      children: [...this.objects.values()],
      refused: this.refused,
      outcomes: { dryRun: this.#dryRuns },
      now: this.now,
    });
  }

  /** Answers a dry run at once; true for a new question. */
  #answer(effect: Effect): boolean {
    if (this.isMute || effect.effect !== 'dryRun' || this.#dryRuns[effect.key] !== undefined) return false;
    const sentence = this.unacceptable.get(versionIn(effect.object as KubeDeployment)) ?? (() => '');
    const message = sentence(effect.object.metadata?.name ?? '');
    const value = { accepted: message === '', message };
    this.#dryRuns[effect.key] = { state: 'succeeded', value, at: this.now };
    return true;
  }

  /** Raises a written Deployment to the size that the policy requires. */
  #raise({ spec }: Omit<KubeDeployment, 'metadata'>, name: string): void {
    const others = this.refused.filter((refusal) => refusal.name !== name || refusal.reason !== 'FieldConflict');
    const isRaised = spec !== undefined && (spec.replicas ?? 1) < this.floor;
    const refusal = {
      verb: 'apply',
      kind: 'Deployment',
      name,
      reason: 'FieldConflict',
      attempts: 1,
      at: this.now,
    } as const;
    this.refused = isRaised ? [...others, refusal] : others;
    if (isRaised) spec.replicas = this.floor;
  }

  #write({ verb, object }: Desired<unknown>['children'][number]): boolean {
    const key = `${object.kind}/${object.metadata?.name}`;
    if (verb === 'remove') return this.objects.delete(key);
    if (verb !== 'apply' || this.refused.some((refusal) => blocks(refusal, key))) return false;
    const before = this.objects.get(key);
    const { metadata: old = {}, status, ...rest } = { ...(before as KubeDeployment | undefined) };
    const { metadata, ...wanted } = structuredClone(object) as KubeDeployment;
    if (wanted.kind === 'Deployment') this.#raise(wanted, metadata?.name ?? '');
    const isSame = JSON.stringify(canonical(rest)) === JSON.stringify(canonical(wanted));
    const isAnnotated = JSON.stringify(old.annotations) === JSON.stringify(metadata?.annotations);
    if (before !== undefined && isSame && isAnnotated) return false;
    const generation = (old.generation ?? 0) + (isSame ? 0 : 1);
    const uid = old.uid ?? `uid-${(this.#uid += 1)}`;
    this.objects.set(key, {
      ...wanted,
      metadata: { ...metadata, uid, generation },
      ...(status && { status }),
    });
    return true;
  }
}

/** A rollout whose first version runs. */
export const deployed = (spec: Partial<Spec> = {}): RolloutBench => new RolloutBench(spec).settle();

/** A rollout with its second version at the first step. */
export const rolling = (spec: Partial<Spec> = {}): RolloutBench => {
  const web = deployed(spec);
  web.rollTo('2');
  return web.settle();
};

/** A rollout with its second version at 60 percent. */
export const atSixty = (spec: Partial<Spec> = {}): RolloutBench => rolling(spec).wait(90);
