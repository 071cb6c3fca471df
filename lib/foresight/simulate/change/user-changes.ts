import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';
import type { ScriptChange } from '#lib/foresight/simulate/script/script.ts';
import type { Verb } from '#lib/foresight/simulate/script/script-schema.ts';
import { type FoundObject, textOfObject } from '#lib/foresight/simulate/targets/find-object.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { isSecret } from '#lib/kind/handles/secret-kind.ts';
import { answerInWords } from '#lib/sim/world/step/wording.ts';
import { applyAsUser, manifestsIn } from './apply.ts';
import { type ChangeContext, type Done, foundIn, podsIn, refuseChange, shownText } from './change-context.ts';
import { imagePatch } from './image-patch.ts';
import { patchAt, patchText } from './patch-at.ts';

/** The part of a message that repeats the whole patched object, before the unknown field. */
const WHOLE_OBJECT = / "" is invalid: patch: Invalid value: .* (?=strict decoding error: )/s;

const send = ({ targets, change }: ChangeContext, request: ServerRequest): void => {
  const response = targets.server.handle(request);
  if (response.code < 400) return;
  const message = String(response.body['message']).replace(WHOLE_OBJECT, '');
  refuseChange(change, { problem: `the API server refused it: ${answerInWords(response)}: ${message}` });
};

const apply = ({ targets, change }: ChangeContext): readonly Done[] => {
  const { copies } = change.fields;
  const manifests = manifestsIn(targets, change.subject, typeof copies === 'number' ? copies : undefined);
  if ('problem' in manifests) return refuseChange(change, manifests);
  return manifests.map((manifest) => {
    const applied = applyAsUser(targets, manifest);
    return 'problem' in applied ? refuseChange(change, applied) : applied;
  });
};

const PATCH_OPTIONS = { fieldManager: 'kubectl-edit', fieldValidation: 'Strict' } as const;

const sendPatch = (context: ChangeContext, { request }: FoundObject, body: unknown): void =>
  send(context, { ...request, verb: 'patch', patchType: 'merge', options: PATCH_OPTIONS, body });

const patch = (context: ChangeContext): Done => {
  const found = foundIn(context);
  const body = context.change.fields['with'];
  sendPatch(context, found, body);
  const isHidden = isSecret(found.object);
  return { object: found.text, what: isHidden ? 'patched; values of Secrets are not shown' : patchText(body) };
};

const POLICIES: JsonObject = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' };

const remove = (context: ChangeContext): Done => {
  const { request, text } = foundIn(context);
  const cascade = shownText(context.change.fields['cascade']) || 'background';
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: POLICIES[cascade] };
  send(context, { ...request, verb: 'delete', body });
  return { object: text, what: cascade === 'orphan' ? 'deleted, its children are left alone' : 'deleted' };
};

const valueAt = (object: unknown, path: string): unknown => {
  let value = object;
  for (const name of path.split('.').filter((part) => part !== ''))
    value = isPlainObject(value) ? value[name] : undefined;
  return value;
};

const scale = (context: ChangeContext): Done => {
  const { change } = context;
  const found = foundIn(context);
  const { known, object, text } = found;
  const path = known.replicasPath;
  if (path === undefined) {
    const problem = `${text} has no replicas to set: its kind cannot be scaled`;
    return refuseChange(change, { problem, fix: 'use patch' });
  }
  const before = valueAt(object, path);
  const { to } = change.fields;
  sendPatch(context, found, patchAt(path, to));
  const from = before === undefined ? '' : `from ${shownText(before)} `;
  return { object: text, what: `scaled ${from}to ${shownText(to)}` };
};

const image = (context: ChangeContext): Done => {
  const { change } = context;
  const found = foundIn(context);
  const { object, text } = found;
  const { container, to } = change.fields;
  const wanted = shownText(to);
  const made = imagePatch(object, { image: wanted, ...(typeof container === 'string' && { container }) });
  if ('problem' in made) return refuseChange(change, { problem: `${text} ${made.problem}`, fix: 'use patch' });
  sendPatch(context, found, made.body);
  return { object: text, what: `image ${made.before} → ${wanted}` };
};

const kill = (context: ChangeContext, pod: StoredPod): Done => {
  const { namespace, name } = pod.metadata;
  const where = namespace === undefined ? {} : { namespace };
  send(context, { verb: 'delete', resource: resources.pods, ...where, name });
  return { object: textOfObject(pod), what: 'killed' };
};

/**
 * Changes that a user makes with kubectl, by verb. Each function throws {@link InvalidScriptError} when its change is impossible
 * now.
 */
export const userChanges = {
  apply,
  patch: (context: ChangeContext) => [patch(context)],
  delete: (context: ChangeContext) => [remove(context)],
  scale: (context: ChangeContext) => [scale(context)],
  image: (context: ChangeContext) => [image(context)],
  kill: (context: ChangeContext) => podsIn(context).map((pod) => kill(context, pod)),
} as const satisfies Partial<Record<Verb, (context: ChangeContext) => readonly Done[]>>;

/** A change that a user makes with kubectl. */
export type UserChange = ScriptChange & { readonly verb: keyof typeof userChanges };

/** Whether the verb of a change is one of {@link userChanges}. */
export const isUserChange = (change: ScriptChange): change is UserChange => Object.hasOwn(userChanges, change.verb);
