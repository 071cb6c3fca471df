import { apiVersionText } from '#lib/apiserver/machinery/resources.ts';
import { nameInWords, type ObjectName } from '#lib/foresight/cluster/live-object.ts';
import type { RecordedWrite } from '#lib/foresight/cluster/recorded-write.ts';
import { equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';
import { refOf } from '#lib/kind/names.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import { withoutSecretValues } from '#lib/plan/secret.ts';
import type { Step } from '#lib/plan/step.ts';
import { type FieldChange, fieldChanges, shownObject } from './field-changes.ts';
import { type Refused, refusedBy } from './refused.ts';

/** The effect of a write on its object. */
export type PlannedAction = 'create' | 'change' | 'delete' | 'replace' | 'status';

/** A planned write of the operator. */
export interface PlannedWrite extends ObjectName {
  readonly action: PlannedAction;
  /** The verb, as in an audit log. */
  readonly verb: 'create' | 'patch' | 'delete' | 'update';
  /** The plural resource name, as in an audit log. */
  readonly resource: string;
  readonly subresource?: 'status';
  /** The resource whose pass causes the write. */
  readonly owner: ObjectName;
  /** The extension whose pass causes the write; absent if the pass belongs to no extension. */
  readonly extension?: string;
  /** The reason: `Missing`, `Changed`, the reason of `remove()`, …. A write of a status has the reason of its Ready condition. */
  readonly reason: string;
  /** Changed fields; empty if the write is refused, or creates or removes the object. */
  readonly fields: readonly FieldChange[];
  /** The created object, without values of Secrets. */
  readonly object?: JsonObject;
  /**
   * The request body: an object, a patch, or options of a deletion, without values of Secrets. Absent for a request without a
   * body, and for a JSON patch, because a JSON patch is a list.
   */
  readonly body?: JsonObject;
  /** Time of the write, in milliseconds from now. */
  readonly afterMs: number;
  /** The refusal; present if the virtual API server refuses the write. */
  readonly refused?: Refused;
  /**
   * Set when the write would happen without the change, too. Absent for a changed resource, unless the change has no effect.
   */
  readonly alsoWithout?: true;
  /**
   * Set when no visible field differs, and the dump has no `managedFields`. The owners of fields are then unknown, so the real
   * object may need no write.
   */
  readonly unverified?: true;
}

/** The data of a pass that determine the owner and the reason of its writes. */
interface Round {
  readonly owner: ObjectName;
  readonly extension: string | undefined;
  readonly fieldManager: string;
  readonly steps: ReadonlyMap<string, Step>;
}

const idOf = (apiVersion: string, plural: string, namespace: string, name: string): string =>
  `${apiVersion} ${plural} ${namespace}/${name}`;

const ownerOf = ({ definition, seen }: DecidedPass): ObjectName => {
  const { apiVersion, kind } = refOf(definition);
  const { namespace, name } = seen.resource.metadata;
  return { apiVersion, kind, namespace, name };
};

/**
 * Key of a step: the kind, the namespace and the name of its child. For a cluster-scoped owner, the name of a namespaced child is
 * `<namespace>/<name>`.
 */
const stepId = (step: Step, owner: ObjectName): string => {
  const slash = step.name.indexOf('/');
  const namespace = slash >= 0 ? step.name.slice(0, slash) : step.kind.scope === 'Cluster' ? '' : owner.namespace;
  return idOf(step.kind.apiVersion, step.kind.plural, namespace, step.name.slice(slash + 1));
};

/**
 * Whether a write to a resource that is also a child comes from a pass of the resource itself, and not of its parent. To the
 * resource itself, such a pass writes only its status, its finalizer, or the report of an extension.
 */
const isOwn = ({ subresource, options }: RecordedWrite['request'], own: Round, parent: Round): boolean =>
  subresource === 'status' || (options?.fieldManager === own.fieldManager && own.fieldManager !== parent.fieldManager);

/** Records the decisions of passes, to find the reason of each write. */
export class Reasons {
  readonly #byChild = new Map<string, Round>();
  /** The latest decisions by resource and field manager, because several extensions can decide about the same parent. */
  readonly #byResource = new Map<string, { readonly round: Round; readonly decision: DecidedPass }>();

  note(decision: DecidedPass): void {
    const owner = ownerOf(decision);
    const written = decision.wanted.plan.steps.filter(({ step }) => step !== 'skip');
    const { fieldManager } = decision;
    const { kind, extension } = decision.definition;
    const round: Round = {
      owner,
      extension: extension && kind,
      fieldManager,
      steps: new Map(written.map((step) => [stepId(step, owner), step])),
    };
    for (const id of round.steps.keys()) this.#byChild.set(id, round);
    const { apiVersion, plural } = refOf(decision.definition);
    const id = idOf(apiVersion, plural, owner.namespace, owner.name);
    this.#byResource.set(`${id} ${fieldManager}`, { round, decision });
  }

  /** Finds the pass that causes a write, and its step or its decision, which has the reason. */
  of({ request, namespace, name }: RecordedWrite): {
    round?: Round;
    step?: Step;
    decision?: DecidedPass;
  } {
    const { resource } = request;
    const id = idOf(apiVersionText(resource), resource.plural, namespace, name);
    const own = this.#byResource.get(`${id} ${request.options?.fieldManager}`);
    const round = this.#byChild.get(id);
    const step = round?.steps.get(id);
    if (round && step && !(own && isOwn(request, own.round, round))) return { round, step };
    return own ?? {};
  }
}

const actionOf = ({ request }: RecordedWrite, step: Step | undefined): PlannedAction => {
  if (request.subresource === 'status') return 'status';
  if (step?.step === 'replace') return 'replace';
  if (request.verb === 'delete') return 'delete';
  return request.verb === 'create' || step?.step === 'create' ? 'create' : 'change';
};

const FINALIZER = 'Finalizer';

const kindOf = ({ after, before, request }: RecordedWrite): string => {
  const { kind } = after ?? before ?? (isPlainObject(request.body) ? request.body : {});
  return typeof kind === 'string' ? kind : request.resource.plural;
};

const hasManagedFields = (object: JsonObject | undefined): boolean =>
  isPlainObject(object?.['metadata']) && object['metadata']['managedFields'] !== undefined;

/** The body of a write, without values of Secrets; undefined for a body that is not an object. */
const bodyOf = ({ request: { body, resource } }: RecordedWrite): JsonObject | undefined => {
  if (!isPlainObject(body)) return undefined;
  if (resource.group !== '' || resource.plural !== 'secrets') return body;
  const { apiVersion, kind, ...hidden } = withoutSecretValues({ ...body, apiVersion: 'v1', kind: 'Secret' });
  return 'kind' in body ? { apiVersion, kind, ...hidden } : hidden;
};

const verbs = new Set(['create', 'patch', 'delete', 'update']);

/** Converts a recorded write to a planned write; `undefined` for a request that writes no object. */
export const plannedWrite = (write: RecordedWrite, reasons: Reasons, afterMs: number): PlannedWrite | undefined => {
  const { request, namespace, name, before, after, isAccepted } = write;
  if (!verbs.has(request.verb)) return undefined;
  const { round, step, decision } = reasons.of(write);
  const apiVersion = apiVersionText(request.resource);
  const self: ObjectName = { apiVersion, kind: kindOf(write), namespace, name };
  const action = actionOf(write, step);
  const fields = isAccepted && before && after ? fieldChanges(before, after) : [];
  const isReport = action === 'status' || decision?.definition.extension !== undefined;
  const reason = step?.reason ?? (isReport ? (decision?.wanted.desired.state.reason ?? '') : FINALIZER);
  const body = bodyOf(write);
  const isBlank = isAccepted && fields.length === 0 && action === 'change';
  return {
    ...self,
    action,
    verb: request.verb as PlannedWrite['verb'],
    resource: request.resource.plural,
    ...(request.subresource === 'status' && { subresource: 'status' as const }),
    owner: round?.owner ?? self,
    ...(round?.extension !== undefined && { extension: round.extension }),
    reason,
    fields,
    ...(action === 'create' && after && { object: shownObject(after) }),
    ...(body && { body }),
    afterMs,
    ...(!isAccepted && { refused: refusedBy(write, self) }),
    ...(isBlank && before !== undefined && !hasManagedFields(before) && { unverified: true as const }),
  };
};

/** The content of an object without uids, which differ between runs. */
const contentOf = ({ object }: PlannedWrite): unknown =>
  object && JSON.parse(JSON.stringify(object, (name, value: unknown) => (name === 'uid' ? undefined : value)));

/** Whether two writes have the same object, verb, action, fields and content. Times, reasons and uids are ignored. */
export const isSameWrite = (a: PlannedWrite, b: PlannedWrite): boolean =>
  a.verb === b.verb &&
  a.subresource === b.subresource &&
  nameInWords(a) === nameInWords(b) &&
  a.apiVersion === b.apiVersion &&
  a.action === b.action &&
  (a.refused === undefined) === (b.refused === undefined) &&
  equalJson(a.fields, b.fields) &&
  equalJson(contentOf(a), contentOf(b));
