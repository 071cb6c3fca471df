import type { RequestOptions, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import type { JsonObject } from '#lib/json.ts';
import { type Choice, keyOf } from './choice.ts';
import { deletion, jsonPatch } from './generate-parts.ts';
import { listRequest, watchRequest } from './generate-reads.ts';
import type { Step } from './step.ts';

/** Makes one kind of step. */
export type Maker = (choice: Choice) => Step;

const managers = ['one', 'two', 'three'];

const writeOptions = ({ random, subject }: Choice): RequestOptions | undefined => {
  const options: RequestOptions = {
    ...(random.chance(0.4) && { fieldManager: random.pick(managers) }),
    ...((subject.isOnlyTried === true || random.chance(0.08)) && { dryRun: true }),
    ...(random.chance(0.25) && { fieldValidation: random.pick(['Strict', 'Warn', 'Ignore'] as const) }),
  };
  return Object.keys(options).length === 0 ? undefined : options;
};

const withOptions = (options: RequestOptions | undefined): Pick<ServerRequest, 'options'> =>
  options === undefined ? {} : { options };

const toStep = ({ id }: Choice, request: ServerRequest): Step => ({ id, request });

export const create: Maker = (choice) =>
  toStep(choice, {
    verb: 'create',
    ...choice.where,
    ...withOptions(writeOptions(choice)),
    body: choice.bodies.whole(choice, { isCreation: true }),
  });

/** Which subresource a write goes to. */
const subresource = ({ random, subject, isMade }: Choice): { readonly subresource?: 'status' } => {
  if (subject.statuses !== undefined && random.chance(isMade ? 0.3 : 0.02)) return { subresource: 'status' };
  // Rarely a subresource that the kind lacks, to compare the refusals.
  return random.chance(0.01) ? { subresource: 'status' } : {};
};

const update: Maker = (choice) => {
  const { where, name, bodies } = choice;
  const target = subresource(choice);
  const body = target.subresource === undefined ? bodies.forUpdate(choice) : bodies.forStatusUpdate(choice);
  return toStep(choice, { verb: 'update', ...where, name, ...target, ...withOptions(writeOptions(choice)), body });
};

const mergePatch: Maker = (choice) => {
  const { where, name, bodies } = choice;
  const target = subresource(choice);
  const body = bodies.mergePatch(choice, target.subresource !== undefined);
  const options = withOptions(writeOptions(choice));
  return toStep(choice, { verb: 'patch', patchType: 'merge', ...where, name, ...target, ...options, body });
};

const jsonPatchStep: Maker = (choice) => {
  const { where, name } = choice;
  const target = subresource(choice);
  const options = withOptions(writeOptions(choice));
  const body = jsonPatch(choice, target.subresource !== undefined);
  return toStep(choice, { verb: 'patch', patchType: 'json', ...where, name, ...target, ...options, body });
};

export const apply: Maker = (choice) => {
  const { random, where, name, bodies } = choice;
  const target = subresource(choice);
  const options: RequestOptions = {
    ...writeOptions(choice),
    ...(random.chance(0.98) && { fieldManager: random.pick(managers) }),
    ...(random.chance(0.35) && { force: true }),
  };
  const body = bodies.applied(choice, target.subresource !== undefined);
  return toStep(choice, { verb: 'patch', patchType: 'apply', ...where, name, ...target, options, body });
};

const get: Maker = (choice) => {
  const { random, where, name, subject } = choice;
  const target = subject.statuses !== undefined && random.chance(0.1) ? { subresource: 'status' } : {};
  const options = random.chance(0.15)
    ? { options: { resourceVersion: random.pick(['0', `<rv ${keyOf(choice)} last>`, 'x']) } }
    : {};
  return toStep(choice, { verb: 'get', ...where, name, ...target, ...options });
};

const scaleBody = (choice: Choice): JsonObject => {
  const { random, name } = choice;
  const replicas = random.weighted<unknown>([
    [8, random.int(4)],
    [1, -1],
    [0.5, 'two'],
  ]);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(random.chance(0.9) && { namespace: '<ns>' }),
      ...(random.chance(0.3) && { resourceVersion: `<rv ${keyOf(choice)} ${random.pick(['first', 'last'])}>` }),
      ...(random.chance(0.1) && { uid: `<uid ${keyOf(choice)} ${random.pick(['first', 'last'])}>` }),
    },
    spec: { replicas },
  };
};

const scale: Maker = (choice) => {
  const { random, where, name } = choice;
  const target = { ...where, name, subresource: 'scale' };
  const options = withOptions(writeOptions(choice));
  switch (random.int(3)) {
    case 0:
      return toStep(choice, { verb: 'get', ...target });
    case 1:
      return toStep(choice, { verb: 'update', ...target, ...options, body: scaleBody(choice) });
    default: {
      const body = {
        spec: {
          replicas: random.weighted<unknown>([
            [5, random.int(5)],
            [0.5, -1],
          ]),
        },
      };
      return toStep(choice, { verb: 'patch', patchType: 'merge', ...target, ...options, body });
    }
  }
};

export const remove: Maker = (choice) => {
  const { random, where, name } = choice;
  const options = random.chance(0.08) ? { options: { dryRun: true } } : {};
  const body = deletion(choice);
  return toStep(choice, { verb: 'delete', ...where, name, ...options, ...(body && { body }) });
};

export const removeAll: Maker = (choice) => {
  const { random, where, subject } = choice;
  // Objects of other sequences have no namespace of their own.
  const own = subject.namespaced
    ? random.pick([undefined, { labelSelector: 'tier=web' }, { fieldSelector: 'metadata.name=a' }, { dryRun: true }])
    : { labelSelector: 'sequence=<ns>' };
  // Without preconditions: their failures depend on the order of the deletions, which run in parallel.
  const body = random.chance(0.3)
    ? { body: { propagationPolicy: random.pick(['Background', 'Foreground', 'Orphan']) } }
    : {};
  return toStep(choice, { verb: 'deletecollection', ...where, ...withOptions(own), ...body });
};

/** Deletes the namespace of the sequence. It stays in Terminating: no controller empties it. */
const removeNamespace: Maker = (choice) =>
  toStep(choice, { verb: 'delete', resource: { group: '', version: 'v1', plural: 'namespaces' }, name: '<ns>' });

const list: Maker = (choice) => toStep(choice, listRequest(choice));

const watch: Maker = (choice) => ({ id: choice.id, watch: watchRequest(choice) });

/** Makers and their weights. */
export const makers: readonly (readonly [number, Maker])[] = [
  [20, create],
  [6, get],
  [9, list],
  [12, update],
  [12, mergePatch],
  [7, jsonPatchStep],
  [18, apply],
  [9, remove],
  [1.5, removeAll],
  [5, watch],
  [0.3, removeNamespace],
];

/** Makers and their weights for kinds with the scale subresource. */
export const makersWithScale: readonly (readonly [number, Maker])[] = [...makers, [6, scale]];
