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

/** Passes until nothing changes any more; more of them never end. */
const MAX_PASSES = 300;

/** A name that is held, or an object that is refused, is not written; a field that a policy overrides is. */
const blocks = ({ kind, name, reason }: Refusal, key: string): boolean =>
  reason !== 'FieldConflict' && `${kind}/${name}` === key;

/** A template whose image tells the version. */
export const templateOf = (version: string) => ({ spec: { containers: [{ name: 'web', image: `web:${version}` }] } });

/** In microseconds. */
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
 * A CanaryRollout, its children, and a Deployment controller that carries everything out at once: what the function decides,
 * pass by pass, as the loop would ask it.
 */
export class RolloutBench {
  spec: Spec;
  status: Status | undefined;
  annotations: Record<string, string> = {};
  refused: readonly Refusal[] = [];
  /** Deployments and ControllerRevisions, by kind and name. */
  readonly objects = new Map<string, KubeObject>();
  readonly events: DesiredEvent[] = [];
  /** The last answer of the function. */
  last: Desired<Status> | undefined;
  /** The most pods that were ever asked for, and the fewest that were available since the first version was. */
  most = 0;
  fewest = Infinity;
  /** How many pods of a version can be available; without an entry all. */
  readonly healthy = new Map<string, number>();
  /** Why the API server refuses the Deployments of a version, by version; without an entry it accepts them. */
  readonly unacceptable = new Map<string, (name: string) => string>();
  /** The API server does not answer whether it would accept anything. */
  isMute = false;
  readonly #dryRuns: Record<string, DryRunOutcome> = {};
  /** A policy makes every Deployment at least this large, and the loop names it a conflict. */
  floor = 0;
  /** Names of Deployments whose controller does not look at them. */
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

  /** Somebody else changes the size of a Deployment. */
  scaleByHand(version: string, replicas: number): void {
    const object = this.deploymentOf(version);
    if (object.spec) object.spec.replicas = replicas;
    const { generation = 0 } = object.metadata ?? {};
    object.metadata = { ...object.metadata, generation: generation + 1 };
  }

  remove(version: string): void {
    this.objects.delete(`Deployment/${this.deploymentOf(version).metadata?.name}`);
  }

  /** Lets time go by, and the rollout come to rest every second in which it could notice something. */
  wait(seconds: number): this {
    const end = this.#micros + seconds * SECOND;
    while (this.#micros < end) {
      this.#micros = Math.min(end, this.#noticed());
      this.settle();
    }
    return this;
  }

  /** Lets much time go by at once. */
  later(seconds: number): this {
    this.jump(seconds);
    return this.settle();
  }

  /** Sets the clock forward or back. */
  jump(seconds: number): void {
    this.#micros += seconds * SECOND;
  }

  /** One pass of the loop, and what the controllers make of it. */
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

  /** Passes until status says something. */
  passUntil(holds: (status: Partial<Status>) => boolean): void {
    for (let passes = 0; passes < MAX_PASSES; passes += 1) if (holds(this.status ?? {}) || !this.pass()) return;
  }

  /** Passes until nothing changes. */
  settle(): this {
    this.controllers();
    for (let passes = 0; passes < MAX_PASSES; passes += 1) if (!this.pass()) return this;
    throw new Error('it does not come to rest');
  }

  /** What the controllers of Deployments do, unless they are told not to look. */
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

  /** When it looks next: while it sleeps, at the end of the sleep; at rest, never; otherwise every second. */
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

  /** Says at once whether an object would be accepted; true for a new question. */
  #answer(effect: Effect): boolean {
    if (this.isMute || effect.effect !== 'dryRun' || this.#dryRuns[effect.key] !== undefined) return false;
    const sentence = this.unacceptable.get(versionIn(effect.object as KubeDeployment)) ?? (() => '');
    const message = sentence(effect.object.metadata?.name ?? '');
    const value = { accepted: message === '', message };
    this.#dryRuns[effect.key] = { state: 'succeeded', value, at: this.now };
    return true;
  }

  /** What the policy makes of a Deployment that is written. */
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
