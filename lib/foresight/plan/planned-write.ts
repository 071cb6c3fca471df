import { nameInWords, type ObjectName } from '#lib/foresight/cluster/live-object.ts';
import type { RecordedWrite } from '#lib/foresight/cluster/recorded-write.ts';
import { equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';
import { refOf } from '#lib/kind/names.ts';
import type { Decision } from '#lib/loop/pass/decision.ts';
import { withoutSecretValues } from '#lib/plan/secret.ts';
import type { Step } from '#lib/plan/step.ts';
import { apiVersionOf } from '#lib/apiserver/machinery/resources.ts';
import { type Refused, refusedBy } from './change.ts';
import { type FieldChange, fieldChanges, shownObject } from './field-changes.ts';

/** What a write does, as people see it. */
export type PlannedAction = 'create' | 'change' | 'delete' | 'replace' | 'status';

/** One write of the operator, before it is made. */
export interface PlannedWrite extends ObjectName {
  readonly action: PlannedAction;
  /** As an audit log has it. */
  readonly verb: 'create' | 'patch' | 'delete' | 'update';
  /** In the plural, as paths and audit logs have it. */
  readonly resource: string;
  readonly subresource?: 'status';
  /** Whose pass makes it. */
  readonly owner: ObjectName;
  /** `Missing`, `Changed`, the reason of `remove()`, …; of a status the reason of its Ready condition. */
  readonly reason: string;
  /** What differs afterwards; of a creation and a deletion nothing, as all comes or goes. */
  readonly fields: readonly FieldChange[];
  /** What would be there afterwards, of a creation; values of Secrets are left out. */
  readonly object?: JsonObject;
  /** What is sent: an object, a patch, or options of a deletion; values of Secrets are left out. Absent when nothing is, and of a JSON patch, which is a list. */
  readonly body?: JsonObject;
  /** Milliseconds from now. */
  readonly afterMs: number;
  /** The virtual API server would refuse it. */
  readonly refused?: Refused;
  /** It would follow without the change as well. */
  readonly alsoWithout?: true;
  /** Nothing that shows would differ: the dump does not tell who owns the fields, and a real object may need no write. */
  readonly unverified?: true;
}

/** A pass, as far as its writes need it. */
interface Round {
  readonly owner: ObjectName;
  readonly fieldManager: string;
  readonly steps: ReadonlyMap<string, Step>;
}

const idOf = (apiVersion: string, plural: string, namespace: string, name: string): string =>
  `${apiVersion} ${plural} ${namespace}/${name}`;

const ownerOf = ({ definition, seen }: Decision): ObjectName => {
  const { apiVersion, kind } = refOf(definition);
  const { namespace, name } = seen.resource.metadata;
  return { apiVersion, kind, namespace, name };
};

/** A child of a cluster-scoped resource says its namespace in its name. */
const stepId = (step: Step, owner: ObjectName): string => {
  const slash = step.name.indexOf('/');
  const namespace = slash >= 0 ? step.name.slice(0, slash) : step.kind.scope === 'Cluster' ? '' : owner.namespace;
  return idOf(step.kind.apiVersion, step.kind.plural, namespace, step.name.slice(slash + 1));
};

/** A resource of one kind that is the child of another is written to by both: its status and its finalizer are its own. */
const isOwn = ({ subresource, options }: RecordedWrite['request'], own: Round, parent: Round): boolean =>
  subresource === 'status' || (options?.fieldManager === own.fieldManager && own.fieldManager !== parent.fieldManager);

/** Remembers what passes decided, so that each write finds its reason. */
export class Reasons {
  readonly #byChild = new Map<string, Round>();
  readonly #byResource = new Map<string, { readonly round: Round; readonly decision: Decision }>();

  /** Of the pass that is about to write. */
  note(decision: Decision): void {
    const owner = ownerOf(decision);
    const written = decision.wanted.plan.steps.filter(({ step }) => step !== 'skip');
    const { fieldManager } = decision;
    const round: Round = { owner, fieldManager, steps: new Map(written.map((step) => [stepId(step, owner), step])) };
    for (const id of round.steps.keys()) this.#byChild.set(id, round);
    const { apiVersion, plural } = refOf(decision.definition);
    this.#byResource.set(idOf(apiVersion, plural, owner.namespace, owner.name), { round, decision });
  }

  /** Who made a write, and why. */
  of({ request, namespace, name }: RecordedWrite): { owner?: ObjectName; step?: Step; decision?: Decision } {
    const { resource } = request;
    const id = idOf(apiVersionOf(resource), resource.plural, namespace, name);
    const own = this.#byResource.get(id);
    const round = this.#byChild.get(id);
    const step = round?.steps.get(id);
    if (round && step && !(own && isOwn(request, own.round, round))) return { owner: round.owner, step };
    return own ? { owner: own.round.owner, decision: own.decision } : {};
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

/** A patch need not say what it is a patch of. */
const bodyOf = ({ request: { body, resource } }: RecordedWrite): JsonObject | undefined => {
  if (!isPlainObject(body)) return undefined;
  if (resource.group !== '' || resource.plural !== 'secrets') return body;
  const { apiVersion, kind, ...hidden } = withoutSecretValues({ ...body, apiVersion: 'v1', kind: 'Secret' });
  return 'kind' in body ? { apiVersion, kind, ...hidden } : hidden;
};

const verbs = new Set(['create', 'patch', 'delete', 'update']);

/** A recorded write as a plan tells it; `undefined` for what is no write of an object. */
export const plannedWrite = (write: RecordedWrite, reasons: Reasons, afterMs: number): PlannedWrite | undefined => {
  const { request, namespace, name, before, after, isAccepted } = write;
  if (!verbs.has(request.verb)) return undefined;
  const { owner, step, decision } = reasons.of(write);
  const apiVersion = apiVersionOf(request.resource);
  const self: ObjectName = { apiVersion, kind: kindOf(write), namespace, name };
  const action = actionOf(write, step);
  const fields = isAccepted && before && after ? fieldChanges(before, after) : [];
  const reason = step?.reason ?? (action === 'status' ? (decision?.wanted.desired.state.reason ?? '') : FINALIZER);
  const body = bodyOf(write);
  const isBlank = isAccepted && fields.length === 0 && action === 'change';
  return {
    ...self,
    action,
    verb: request.verb as PlannedWrite['verb'],
    resource: request.resource.plural,
    ...(request.subresource === 'status' && { subresource: 'status' as const }),
    owner: owner ?? self,
    reason,
    fields,
    ...(action === 'create' && after && { object: shownObject(after) }),
    ...(body && { body }),
    afterMs,
    ...(!isAccepted && { refused: refusedBy(write) }),
    ...(isBlank && before !== undefined && !hasManagedFields(before) && { unverified: true as const }),
  };
};

/** Uids are drawn anew. */
const contentOf = ({ object }: PlannedWrite): unknown =>
  object && JSON.parse(JSON.stringify(object, (name, value: unknown) => (name === 'uid' ? undefined : value)));

/** Whether two writes are the same but for their moment. */
export const isSameWrite = (a: PlannedWrite, b: PlannedWrite): boolean =>
  a.verb === b.verb &&
  a.subresource === b.subresource &&
  nameInWords(a) === nameInWords(b) &&
  a.apiVersion === b.apiVersion &&
  a.action === b.action &&
  (a.refused === undefined) === (b.refused === undefined) &&
  equalJson(a.fields, b.fields) &&
  equalJson(contentOf(a), contentOf(b));
