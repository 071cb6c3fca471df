import { InvalidScriptError } from '#lib/errors.ts';
import { isPlainObject, type JsonObject } from '#lib/kind/json.ts';
import { isSecret } from '#lib/plan/secret.ts';
import { isActive } from '#lib/sim/actors/pod-state.ts';
import type { Pod } from '#lib/sim/actors/workload.ts';
import type { ServerObject } from '#lib/sim/machinery/object.ts';
import type { ServerRequest } from '#lib/sim/machinery/request.ts';
import { resources } from '#lib/sim/machinery/resources.ts';
import { answerInWords } from '#lib/sim/world/wording.ts';
import { readAnswerUrl } from './answer-url.ts';
import { applyManifest, manifestsIn } from './apply.ts';
import type { Cast } from './cast.ts';
import { choosePods } from './choose-pods.ts';
import { type Found, findObject } from './find-object.ts';
import { imagePatch } from './image-patch.ts';
import { type Impossible, issueOf } from './impossible.ts';
import { patchAt, patchText } from './patch-at.ts';
import type { Change } from './script.ts';
import { clockText, durationMs, durationText } from './time-text.ts';

/** What a change did, for the timeline. */
export interface Done {
  readonly object: string;
  readonly what: string;
}

/** Something that ends by itself, such as the readiness of a pod that fails for a while. */
export type Later = (atMs: number, change: Change) => void;

const FIRST_ERROR_CODE = 400;

/** One change, about to happen. */
export class Performance {
  readonly #cast: Cast;
  readonly #change: Change;
  readonly #later: Later;

  constructor(cast: Cast, change: Change, later: Later) {
    this.#cast = cast;
    this.#change = change;
    this.#later = later;
  }

  /**
   * Lets it happen.
   *
   * @throws {InvalidScriptError} for what is impossible at this moment, with what there was
   */
  run(): readonly Done[] {
    const { verb } = this.#change;
    const acts: Readonly<Record<Change['verb'], () => readonly Done[]>> = {
      apply: () => this.#apply(),
      patch: () => [this.#patch(this.#field('with'), 'patched')],
      delete: () => [this.#delete()],
      scale: () => [this.#scale()],
      image: () => [this.#image()],
      kill: () => this.#pods().map((pod) => this.#kill(pod)),
      evict: () => this.#pods().map((pod) => this.#misfortune(pod, `evict pod ${keyOf(pod)}`, 'evicted')),
      fail: () => this.#pods().map((pod) => this.#fail(pod)),
      crash: () =>
        this.#change.subject === 'operator' ? [this.#crashOperator()] : this.#pods().map((pod) => this.#crash(pod)),
      lose: () => [this.#lose()],
      restore: () => this.#restore(),
      answer: () => [this.#answer()],
    };
    return acts[verb]();
  }

  #field(name: string): unknown {
    return this.#change.fields[name];
  }

  /** What the schema says is a text, or a number to be shown. */
  #text(name: string): string {
    return textIn(this.#field(name));
  }

  /** What stands behind the verb, where the schema says that it is a text. */
  get #subject(): string {
    return textIn(this.#change.subject);
  }

  /** @throws {InvalidScriptError} always */
  #impossible(
    message: string,
    { at = this.#change.verb, ...more }: Omit<Impossible, 'problem'> & { readonly at?: string } = {},
  ): never {
    const { path, atMs } = this.#change;
    throw new InvalidScriptError([issueOf(`${path}.${at}`, { ...more, problem: `at ${clockText(atMs)}, ${message}` })]);
  }

  #request(request: ServerRequest): JsonObject {
    const response = this.#cast.server.handle(request);
    if (response.code < FIRST_ERROR_CODE) return response.body;
    return this.#impossible(
      `the API server refused it: ${answerInWords(response)}: ${String(response.body['message'])}`,
    );
  }

  #find(): Found {
    const found = findObject(this.#cast, this.#subject);
    return 'problem' in found ? this.#impossible(found.problem, found) : found;
  }

  #pods(): readonly Pod[] {
    const chosen = choosePods(this.#cast, this.#change.subject);
    return 'problem' in chosen ? this.#impossible(chosen.problem, chosen) : chosen.pods;
  }

  #apply(): readonly Done[] {
    const manifests = manifestsIn(this.#cast, this.#change.subject);
    if ('problem' in manifests) return this.#impossible(manifests.problem);
    return manifests.map((manifest) => {
      const applied = applyManifest(this.#cast, manifest);
      return 'problem' in applied ? this.#impossible(applied.problem, applied) : applied;
    });
  }

  #patch(body: unknown, what: string): Done {
    const { request, text, object } = this.#find();
    this.#request({ ...request, verb: 'patch', patchType: 'merge', options: { fieldManager: 'kubectl-edit' }, body });
    const told = isSecret(object) ? 'patched; values of Secrets are not shown' : patchText(body);
    return { object: text, what: what === 'patched' ? told : what };
  }

  #delete(): Done {
    const { request, text } = this.#find();
    const cascade = this.#text('cascade');
    const policy = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' }[cascade || 'background'];
    this.#request({
      ...request,
      verb: 'delete',
      body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: policy },
    });
    return { object: text, what: cascade === 'orphan' ? 'deleted, its children are left alone' : 'deleted' };
  }

  #scale(): Done {
    const { known, object, text } = this.#find();
    const path = known.replicasPath;
    if (path === undefined)
      return this.#impossible(`${text} has no replicas to set: its kind cannot be scaled`, { fix: 'use patch' });
    const before = valueAt(object, path);
    const to = this.#field('to');
    return this.#patch(
      patchAt(path, to),
      `scaled ${before === undefined ? '' : `from ${textIn(before)} `}to ${this.#text('to')}`,
    );
  }

  #image(): Done {
    const { object, text } = this.#find();
    const [image, container] = [this.#text('to'), this.#field('container')];
    const patch = imagePatch(object, { image, ...(typeof container === 'string' && { container }) });
    if ('problem' in patch) return this.#impossible(`${text} ${patch.problem}`, { fix: 'use patch' });
    return this.#patch(patch.body, `image ${patch.before} → ${image}`);
  }

  #kill(pod: Pod): Done {
    this.#request({ verb: 'delete', resource: resources.pods, ...whereOf(pod) });
    return { object: textOf(pod), what: 'killed' };
  }

  #misfortune(pod: Pod, label: string, what: string): Done {
    if (!this.#cast.misfortune(`kubelet: ${label}`))
      return this.#impossible(`${textOf(pod)} cannot be ${what}: it is ${stateOf(pod)}`);
    return { object: textOf(pod), what };
  }

  #fail(pod: Pod): Done {
    const { uid } = pod.metadata;
    this.#cast.failing.set(uid, this.#endMs);
    const wasReady = this.#cast.misfortune(`kubelet: pod ${keyOf(pod)} becomes unready`);
    const lasts = this.#ends({ uid });
    return { object: textOf(pod), what: `${wasReady ? 'readiness fails' : 'readiness goes on failing'}${lasts}` };
  }

  /** When it is over. */
  get #endMs(): number {
    return this.#change.atMs + (durationMs(this.#field('for')) ?? Infinity);
  }

  /** ` for 30 s`, when it does not last for ever. */
  #ends(endOf: NonNullable<Change['endOf']>): string {
    const forMs = durationMs(this.#field('for'));
    if (forMs === undefined) return '';
    const atMs = this.#endMs;
    this.#later(atMs, { atMs, verb: 'restore', subject: '', fields: {}, path: this.#change.path, endOf });
    return ` for ${durationText(forMs)}`;
  }

  #crash(pod: Pod): Done {
    const names = pod.spec.containers.map(({ name }) => name);
    const wanted = this.#text('container') || (names[0] ?? '');
    if (!names.includes(wanted)) {
      return this.#impossible(`${textOf(pod)} has no container "${wanted}", only ${names.join(', ')}`, {
        at: 'container',
      });
    }
    return this.#misfortune(pod, `container ${wanted} of pod ${keyOf(pod)} fails`, `container ${wanted} crashed`);
  }

  #crashOperator(): Done {
    if (!this.#cast.crashOperator()) return this.#impossible('the operator cannot crash: it does not run');
    const forMs = durationMs(this.#field('for')) ?? 0;
    this.#cast.operatorDownUntilMs = this.#change.atMs + forMs;
    return { object: 'operator', what: forMs === 0 ? 'crashed' : `crashed, and is down for ${durationText(forMs)}` };
  }

  #lose(): Done {
    const node = this.#subject;
    if (!this.#cast.nodes.includes(node)) {
      return this.#impossible(`there is no node "${node}", only ${this.#cast.nodes.join(', ')}`, {
        fix: 'list it under nodes',
      });
    }
    if (!this.#cast.misfortune(`nodes: lose ${node}`)) return this.#impossible(`node ${node} is lost already`);
    this.#cast.lost.set(node, this.#endMs);
    return { object: `Node ${node}`, what: `lost${this.#ends({ node })}` };
  }

  /** What was restored before, went on for longer, or is gone, does not end now. */
  #end(endOf: NonNullable<Change['endOf']>): readonly Done[] {
    const { failing, lost } = this.#cast;
    if ('node' in endOf) return lost.get(endOf.node) === this.#change.atMs ? [this.#nodeBack(endOf.node)] : [];
    if (failing.get(endOf.uid) !== this.#change.atMs) return [];
    const pod = this.#cast.server.objects(resources.pods).find(({ metadata }) => metadata.uid === endOf.uid);
    if (pod === undefined || !isActive(pod as Pod)) return [];
    return [this.#recover(pod as Pod)];
  }

  #nodeBack(node: string): Done {
    if (!this.#cast.misfortune(`nodes: ${node} comes back`)) return this.#impossible(`node ${node} is not lost`);
    this.#cast.lost.delete(node);
    return { object: `Node ${node}`, what: 'is back' };
  }

  #recover(pod: Pod): Done {
    this.#cast.failing.delete(pod.metadata.uid);
    this.#cast.restore(pod);
    return { object: textOf(pod), what: 'readiness no longer fails' };
  }

  #restore(): readonly Done[] {
    const { subject, endOf } = this.#change;
    if (endOf) return this.#end(endOf);
    if (typeof subject === 'string' && this.#cast.nodes.includes(subject)) return [this.#nodeBack(subject)];
    return this.#pods().map((pod) => this.#recover(pod));
  }

  #answer(): Done {
    const { fields } = this.#change;
    const { status = 200, body = '' } = fields as { status?: number; body?: string };
    const url = readAnswerUrl(this.#subject)?.pattern ?? this.#subject;
    this.#cast.answers.push({ url, status, body });
    return { object: this.#subject, what: `answers ${status}${body === '' ? '' : ` ${JSON.stringify(body)}`}` };
  }
}

const textIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const keyOf = ({ metadata }: ServerObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

const textOf = (pod: Pod): string => `Pod ${keyOf(pod)}`;

const whereOf = ({ metadata }: ServerObject): { readonly namespace?: string; readonly name: string } => ({
  ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
  name: metadata.name,
});

const stateOf = (pod: Pod): string => (isActive(pod) ? (pod.status?.phase ?? 'Pending') : 'terminating or over');

const valueAt = (object: unknown, path: string): unknown => {
  let value = object;
  for (const name of path.split('.').filter((part) => part !== ''))
    value = isPlainObject(value) ? value[name] : undefined;
  return value;
};
