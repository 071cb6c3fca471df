import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { InvalidScriptError, type Issue, RequestRefusedError } from '#lib/errors.ts';
import { applyAsUser } from '#lib/foresight/simulate/change/apply.ts';
import { isUserChange, type UserChange, userChanges } from '#lib/foresight/simulate/change/user-changes.ts';
import type { ReadScript, ScriptChange } from '#lib/foresight/simulate/script/script.ts';
import { impossibleIssueOf, NOT_FOUND } from '#lib/foresight/simulate/targets/impossible.ts';
import type { KnownKinds } from '#lib/foresight/simulate/targets/known-kinds.ts';
import type { UserTargets } from '#lib/foresight/simulate/targets/script-targets.ts';
import type { JsonObject } from '#lib/json.ts';
import type { ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import type { User } from '#lib/sim/world/scenario/user.ts';

/** Options for {@link scriptSteps}. */
export interface StepsOptions {
  readonly kinds: KnownKinds;
  readonly namespace: string;
  readonly files: Readonly<Record<string, readonly JsonObject[]>>;
  /** Called when a step finds no pod to kill. In another schedule, the step may find a pod. */
  readonly onMissed: (error: InvalidScriptError) => void;
}

/**
 * The response of the server to a request of a user. `User` throws an error for a refusal; this function returns a response
 * instead.
 */
const answerOf = (ask: () => JsonObject): ServerResponse => {
  try {
    return { code: 200, body: ask() };
  } catch (error) {
    if (!(error instanceof RequestRefusedError)) throw error;
    return { code: error.httpStatus, body: error.status };
  }
};

/** The access of a step to the cluster, by requests of a user. */
const targetsOf = (user: User, { kinds, namespace, files }: StepsOptions): UserTargets => ({
  kinds,
  namespace,
  files,
  server: {
    handle: (request) => answerOf(() => user.request(request)),
    objects: ({ group, plural }, where) => {
      const version =
        kinds.all.find(({ resource }) => resource.group === group && resource.plural === plural)?.resource.version ??
        'v1';
      const scope = where === undefined ? {} : { namespace: where };
      const { items } = user.request({ verb: 'list', resource: { group, version, plural }, ...scope });
      return items as readonly ServerObject[];
    },
  },
  byUid: ({ apiVersion, kind, uid }) => {
    const known = kinds.of(apiVersion, kind);
    const { items } = known === undefined ? { items: [] } : user.request({ verb: 'list', resource: known.resource });
    return (items as readonly ServerObject[]).find(({ metadata }) => metadata.uid === uid);
  },
});

const manifestStep = (manifest: JsonObject, index: number, options: StepsOptions): ScriptStep => {
  const { name = '' } = (manifest['metadata'] ?? {}) as { readonly name?: string };
  return {
    label: `user applies ${String(manifest['kind'])} ${name}`,
    run: (user) => {
      const applied = applyAsUser(targetsOf(user, options), manifest);
      if (!('problem' in applied)) return;
      throw new InvalidScriptError([impossibleIssueOf(`manifests[${index}]`, applied)]);
    },
  };
};

/** The label of a step, such as `user: scale PodSet/web to 3`. */
const labelOf = ({ verb, subject, fields }: ScriptChange): string => {
  const { note, to } = fields;
  if (typeof note === 'string') return `user: ${note}`;
  const what = typeof subject === 'string' ? subject : JSON.stringify(subject);
  return `user: ${verb} ${what}${to === undefined ? '' : ` to ${typeof to === 'number' ? to : JSON.stringify(to).slice(1, -1)}`}`;
};

const isMissing = (error: unknown): error is InvalidScriptError =>
  error instanceof InvalidScriptError && error.issues.every(({ rule }) => rule === NOT_FOUND);

const changeStep = (change: UserChange, options: StepsOptions): ScriptStep => ({
  label: labelOf(change),
  run: (user) => {
    try {
      userChanges[change.verb]({ targets: targetsOf(user, options), change });
    } catch (error) {
      // Whether there is a pod to kill depends on the schedule, so a missing pod is not an error of the step.
      if (change.verb !== 'kill' || !isMissing(error)) throw error;
      options.onMissed(error);
    }
  },
});

/**
 * The issue for a fault in the script of a check. Such a script must not contain faults, because the check injects the faults.
 */
const verbIssue = ({ verb, path }: ScriptChange): Issue => ({
  path: `${path}.${verb}`,
  rule: 'verb',
  message: `a check makes faults by itself; its script may only ${Object.keys(userChanges).join(', ')}`,
});

/**
 * Converts manifests and the changes of a script to steps. The steps happen in this order; the schedule decides their times.
 *
 * @throws {InvalidScriptError} for a change that is not a request of a user
 */
export const scriptSteps = (
  manifests: readonly JsonObject[],
  { changes }: ReadScript,
  options: StepsOptions,
): readonly ScriptStep[] => {
  const issues = changes.filter((change) => !isUserChange(change)).map(verbIssue);
  if (issues.length > 0) throw new InvalidScriptError(issues);
  return [
    ...manifests.map((manifest, index) => manifestStep(manifest, index, options)),
    ...changes.filter(isUserChange).map((change) => changeStep(change, options)),
  ];
};
