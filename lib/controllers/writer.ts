import { memberOf } from '#lib/json.ts';
import type { OwnerReference } from '#lib/kind/reference.ts';
import { type LabelSelector, selects } from '#lib/apiserver/machinery/label-selector.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ResourceName, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { resourceKey } from '#lib/apiserver/machinery/resources.ts';
import type { Actor, ActorStep } from './actor.ts';
import { type ActorContext, requestFor } from './context.ts';
import { keyOf } from './informer.ts';

/** What another writer does to an object. */
export interface WriterAction {
  /** `delete`, `touch label of`, … */
  readonly verb: string;
  /** The request for an object as it is stored; undefined when there is nothing to do. */
  readonly request: (object: ServerObject, resource: ResourceName) => ServerRequest | undefined;
}

/** Objects that a writer meddles with. */
export interface WriterTarget {
  readonly resource: ResourceName;
  readonly namespace?: string;
  readonly name?: string;
  readonly selector?: LabelSelector;
  readonly actions: readonly WriterAction[];
}

/** A request that is made once, at a time. */
export interface ScriptedWrite {
  readonly label: string;
  /** Epoch milliseconds; absent: at once. */
  readonly at?: number;
  readonly request: ServerRequest;
}

/** Who else writes to the cluster. */
export interface WriterOptions {
  /** @default 'writer' */
  readonly name?: string;
  /** Each object and action is a step that only a fault schedule takes. */
  readonly targets?: readonly WriterTarget[];
  /** Made one after the other. */
  readonly script?: readonly ScriptedWrite[];
}

const MARK = 'writer.sim/touched';

const mergePatch = (object: ServerObject, resource: ResourceName, body: object, subresource?: string): ServerRequest =>
  requestFor(resource, object, {
    verb: 'patch',
    patchType: 'merge',
    ...(subresource !== undefined && { subresource }),
    options: { fieldManager: 'writer' },
    body,
  });

/** A label that comes and goes. */
export const touchLabel: WriterAction = {
  verb: 'touch label of',
  request: (object, resource) => {
    const value = memberOf(object.metadata.labels, MARK) === undefined ? 'true' : null;
    return mergePatch(object, resource, { metadata: { labels: { [MARK]: value } } });
  },
};

/** An annotation that comes and goes. */
export const touchAnnotation: WriterAction = {
  verb: 'touch annotation of',
  request: (object, resource) => {
    const value = memberOf(object.metadata.annotations, MARK) === undefined ? 'true' : null;
    return mergePatch(object, resource, { metadata: { annotations: { [MARK]: value } } });
  },
};

/** All owner references are taken away. */
export const removeOwners: WriterAction = {
  verb: 'remove owners of',
  request: (object, resource) =>
    (object.metadata.ownerReferences ?? []).length === 0
      ? undefined
      : mergePatch(object, resource, { metadata: { ownerReferences: null } }),
};

/** An owner reference is added, such as one to an object that does not exist. */
export const addOwner = (owner: OwnerReference): WriterAction => ({
  verb: `add owner ${owner.kind} ${owner.name} to`,
  request: (object, resource) => {
    const owners = object.metadata.ownerReferences ?? [];
    if (owners.some(({ uid }) => uid === owner.uid)) return undefined;
    return mergePatch(object, resource, { metadata: { ownerReferences: [...owners, owner] } });
  },
});

/** A merge patch, of the object or of its status. */
export const patchWith = (verb: string, patch: object, subresource?: 'status'): WriterAction => ({
  verb,
  request: (object, resource) => mergePatch(object, resource, patch, subresource),
});

/** What `kubectl delete` does. */
export const deleteIt = (propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'): WriterAction => ({
  verb: propagationPolicy === undefined ? 'delete' : `delete (${propagationPolicy})`,
  request: (object, resource) =>
    object.metadata.deletionTimestamp === undefined
      ? requestFor(resource, object, {
          verb: 'delete',
          ...(propagationPolicy !== undefined && {
            body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy },
          }),
        })
      : undefined,
});

const hits = ({ namespace, name, selector }: WriterTarget, { metadata }: ServerObject): boolean =>
  (namespace === undefined || metadata.namespace === namespace) &&
  (name === undefined || metadata.name === name) &&
  (selector === undefined || selects(selector, metadata.labels));

class Writer implements Actor {
  readonly name: string;
  readonly #context: ActorContext;
  readonly #script: readonly ScriptedWrite[];
  readonly #meddling = new Map<string, readonly ActorStep[]>();
  #written = 0;
  #list: readonly ActorStep[] | undefined;

  constructor(context: ActorContext, { name = 'writer', targets = [], script = [] }: WriterOptions) {
    this.name = name;
    this.#context = context;
    this.#script = script;
    for (const target of targets) {
      context.informers.of(target.resource).subscribe((now, before) => {
        if (before && hits(target, before)) this.#set(target, before, []);
        if (now && hits(target, now)) this.#set(target, now, this.#stepsFor(target, now));
      });
    }
  }

  steps(): readonly ActorStep[] {
    this.#list ??= [
      ...this.#scripted(),
      ...[...this.#meddling.keys()].toSorted().flatMap((key) => this.#meddling.get(key) ?? []),
    ];
    return this.#list;
  }

  memory(): unknown {
    return this.#script.length === 0 ? undefined : this.#written;
  }

  #set(target: WriterTarget, object: ServerObject, steps: readonly ActorStep[]): void {
    const verbs = target.actions.map(({ verb }) => verb).join();
    const key = `${resourceKey(target.resource)} ${keyOf(object)} ${verbs}`;
    if (steps.length > 0) this.#meddling.set(key, steps);
    else this.#meddling.delete(key);
    this.#list = undefined;
  }

  #stepsFor({ actions, resource }: WriterTarget, object: ServerObject): readonly ActorStep[] {
    return actions.flatMap(({ verb, request }): ActorStep[] => {
      const wanted = request(object, resource);
      if (!wanted) return [];
      const label = `${this.name}: ${verb} ${resourceKey(resource)} ${keyOf(object)}`;
      return [{ label, isFault: true, run: () => void this.#context.server.handle(wanted) }];
    });
  }

  #scripted(): readonly ActorStep[] {
    const next = this.#script[this.#written];
    if (!next) return [];
    const run = (): void => {
      this.#written += 1;
      this.#list = undefined;
      this.#context.server.handle(next.request);
    };
    return [{ label: `${this.name}: ${next.label}`, ...(next.at !== undefined && { notBefore: next.at }), run }];
  }
}

/** Somebody else who writes to the cluster: as a script says, or whenever a fault schedule wants. */
export const writer = (context: ActorContext, options: WriterOptions): Actor => new Writer(context, options);
