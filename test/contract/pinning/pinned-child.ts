import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { InvariantError } from '#lib/errors.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { ApiObject, KubeApi } from '#lib/kube/interface/api.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import { fieldManagerOf, fieldOwnersOf } from '#lib/loop/cache/field-manager.ts';
import { ownedFieldsOf, withFingerprint } from '#lib/loop/cache/projection/fingerprint.ts';
import { projectionOf } from '#lib/loop/cache/projection/projection.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { pinsSlot, rememberPins } from '#lib/loop/pass/execute/pins.ts';
import { writeChild } from '#lib/loop/pass/execute/write-child.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { planChildren } from '#lib/plan/plan.ts';
import { stamp } from '#lib/plan/stamp.ts';
import type { Plan, Step } from '#lib/plan/step.ts';

const UID = '00000000-1111-4222-8333-444444444444';

/** Maximum number of writes for one intent, higher than any intent needs. */
const PATIENCE = 6;

const parentKind = (kind: KindRef) =>
  defineKind({
    group: 'pinning.example.com',
    version: 'v1',
    kind: 'Parent',
    spec: s.object({}),
    status: s.object({}),
    owns: [kind],
    desired: () => ({ children: [], status: {}, state: ready('Fine', 'fine') }),
  });

/** One child on some API server, written with the plan and the writes of the loop. The parent of the child does not exist. */
export class PinnedChild {
  readonly api: KubeApi;
  readonly kind: KindRef;
  readonly namespace: string;
  readonly name: string;
  readonly #definition: ReturnType<typeof parentKind>;
  readonly #cache: ObjectCache;
  readonly #context: Context;
  readonly #seen: Snapshot;

  constructor(api: KubeApi, { kind, namespace, name }: { kind: KindRef; namespace: string; name: string }) {
    this.api = api;
    this.kind = kind;
    this.namespace = namespace;
    this.name = name;
    this.#definition = parentKind(kind);
    const project = withFingerprint(projectionOf(kind.fields), fieldOwnersOf([this.#definition]));
    this.#cache = new ObjectCache({ project, onChange: () => undefined });
    this.#cache.replace([], '0');
    const metadata = { name: 'parent', namespace, uid: UID, generation: 1, labels: {}, annotations: {} };
    this.#context = {
      definition: this.#definition,
      api,
      fieldManager: fieldManagerOf(this.#definition),
      children: new Map([[kind, this.#cache]]),
      memory: new Map(),
    } as unknown as Context;
    this.#seen = { key: keyOf(namespace, 'parent'), uid: UID, resource: { metadata } } as unknown as Snapshot;
  }

  /** Returns the request body for an intent. */
  sent(intent: KubeObject): KubeObject {
    return stamp({ definition: this.#definition, resource: this.#seen.resource }, this.#named(intent)).object;
  }

  /** Returns the loop's decision. @param memory - `cold`: as after a restart */
  async decide(intent: KubeObject, memory: 'warm' | 'cold'): Promise<Step> {
    await this.#look();
    return this.#stepOf(this.#plan(intent, memory));
  }

  /** Lets the loop write until it plans no more writes. @returns the verbs of its writes */
  async settle(intent: KubeObject): Promise<string[]> {
    const written: string[] = [];
    for (let writes = 0; writes < PATIENCE; writes += 1) {
      await this.#look();
      const plan = this.#plan(intent, 'warm');
      rememberPins(this.#context, this.#seen, plan.pins);
      const step = this.#stepOf(plan);
      if (step.step === 'skip') return written;
      written.push(`${step.step} ${step.reason}`);
      await writeChild(this.#context, this.#seen, step);
    }
    throw new InvariantError(`The loop finds no rest: ${written.join(', ')}`);
  }

  /** Applies the intent whatever the loop decided. @returns the object before and after */
  async applyAnyway(intent: KubeObject): Promise<readonly [before: ApiObject, after: ApiObject]> {
    const target = { namespace: this.namespace, name: this.name };
    const before = await this.api.get(this.kind, target);
    const dryRun = this.kind.createOnce === true;
    const options = { fieldManager: this.#context.fieldManager, force: true, dryRun };
    return [before, await this.api.apply(this.kind, target, this.sent(intent), options)];
  }

  #named(intent: KubeObject): KubeObject {
    return deepFreeze({ ...intent, metadata: { ...intent.metadata, name: this.name } });
  }

  async #look(): Promise<void> {
    try {
      this.#cache.overlay(await this.api.get(this.kind, { namespace: this.namespace, name: this.name }));
    } catch {
      // The child does not exist yet.
    }
  }

  #plan(intent: KubeObject, memory: 'warm' | 'cold'): Plan {
    const { resource, key } = this.#seen;
    const children = this.#cache.ownedBy(this.namespace, UID).map((object) => {
      const owned = ownedFieldsOf(object);
      return { kind: this.kind, object, ...(owned && { owned }) };
    });
    const pins = memory === 'cold' ? new Map() : pinsSlot.get(this.#context, { key, uid: UID });
    const desired = { children: [apply(this.#named(intent))] };
    return planChildren({ definition: this.#definition, resource, children, orphans: [], desired, pins });
  }

  #stepOf({ steps }: Plan): Step {
    const [step] = steps;
    if (!step) throw new InvariantError('A declared child has a step');
    return step;
  }
}
