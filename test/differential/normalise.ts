import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { orderCauses } from './normalise-causes.ts';
import { orderManagedFields } from './normalise-managed-fields.ts';
import { createNames } from './normalise-names.ts';
import { isDryRun, isWatch, type Step } from './step.ts';
import type { Answer, Played, WatchEvent, Watched } from './target.ts';

const HOUR_MS = 3_600_000;

/** An answer in a form that both servers share. */
export interface NormalAnswer {
  readonly code: number;
  readonly body: unknown;
}

/** A watch in a form that both servers share. */
export interface NormalWatched {
  readonly refusal?: NormalAnswer;
  readonly events: readonly WatchEvent[];
}

/** One step of a sequence, and its answer or its watch in a form that both servers share. */
export type NormalPlayed =
  | { readonly step: Played['step']; readonly answer: NormalAnswer }
  | { readonly step: Played['step']; readonly watched: NormalWatched };

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
const address = /\b10\.0\.0\.\d{1,3}\b/g;
const nodePort = (path: readonly string[]): boolean => path.at(-1) === 'nodePort';
/** An object of a dry run is not stored: its uid never occurs again. */
const withoutUid = (body: unknown): unknown => {
  if (!isPlainObject(body) || !isPlainObject(body['metadata'])) return body;
  const { uid: own } = body['metadata'];
  if (typeof own !== 'string') return { ...body, metadata: { ...body['metadata'], uid: '<dry run>' } };
  // The labels of a Job also contain its uid.
  return JSON.parse(JSON.stringify(body).replaceAll(own, '<dry run>')) as unknown;
};

/** The uid of a refused Job, in a message about its labels. */
const refusedUid = /(?<=controller-uid[\]'": ]+(?:must be ')?)[0-9a-f]{8}-[-0-9a-f]{27}/g;

interface NormaliseOptions {
  readonly namespace: string;
  /** The server's time in epoch milliseconds. Times within an hour of `now` come from the server. */
  readonly now: number;
}

/** Makes the recordings of two servers comparable. */
export const normalise = (played: readonly Played[], { namespace, now }: NormaliseOptions): readonly NormalPlayed[] => {
  const names = createNames();

  const textOf = (value: string): string =>
    value
      .replaceAll(namespace, '<ns>')
      .replaceAll(uid, names.uid)
      .replaceAll(address, '<ip>')
      .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<random>')
      .replaceAll(time, (text, fraction: string | undefined) =>
        Math.abs(Date.parse(text) - now) < HOUR_MS
          ? `<now${fraction === undefined ? '' : `.${fraction.length - 1}`}>`
          : text,
      );

  const messageOf = (value: string): string =>
    textOf(value.replaceAll(refusedUid, '<refused>'))
      .replaceAll(/(resource version: )\d+( \(\d+\))/g, '$1<n> (<n>)')
      .replaceAll(/(resource version: )\d+, current: \d+/g, '$1<n>, current: <n>')
      .replaceAll(
        /(ResourceVersion[^()]*\()(\d+)\)/g,
        (_, before: string, digits: string) => `${before}${names.version(digits)})`,
      )
      .replaceAll(
        /(ResourceVersion in (?:precondition|object meta): )(\d+)/g,
        (_, before: string, digits: string) => `${before}${names.version(digits)}`,
      )
      // The object in its patched form; its managed fields are in the order of their times.
      .replace(/^((?:.* is invalid: patch: )?Invalid value: ")\{.*\}(?=": )/s, '$1<object>')
      // The message quotes the body as the client sent it, in the client's member order.
      .replace(/(Object 'Kind' is missing in )'\{.*\}'(?: \(\{.*\))?/s, '$1<object>');

  const member = (name: string, value: unknown, path: readonly string[]): unknown => {
    const isMetadata = path.at(-1) === 'metadata';
    if (isMetadata && name === 'resourceVersion' && typeof value === 'string') return names.version(value);
    if (isMetadata && name === 'managedFields' && Array.isArray(value))
      return walk(orderManagedFields(value as readonly JsonObject[]), [...path, name]);
    if (name === 'message' && typeof value === 'string') return messageOf(value);
    return walk(value, [...path, name]);
  };

  function walk(value: unknown, path: readonly string[]): unknown {
    if (typeof value === 'string') return textOf(value);
    if (typeof value === 'number' && nodePort(path)) return '<port>';
    if (Array.isArray(value)) return value.map((item) => walk(item, [...path, '[]']));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [textOf(name), member(name, inner, path)]));
  }

  const listOf = (body: JsonObject): JsonObject => {
    const items = walk(body['items'], ['items']);
    const metadata = isPlainObject(body['metadata']) ? body['metadata'] : {};
    const { resourceVersion, continue: token, ...rest } = metadata;
    return {
      ...body,
      metadata: {
        ...rest,
        ...(resourceVersion !== undefined && { resourceVersion: names.floor(textIn(resourceVersion)) }),
        ...(token !== undefined && { continue: token === '' ? '' : '<token>' }),
      },
      items,
    };
  };

  const bodyOf = (body: unknown): unknown => {
    // Answers outside of the API are text: only their codes are compared.
    if (!isPlainObject(body)) return '<text>';
    return Array.isArray(body['items']) ? listOf(body) : orderCauses(walk(body, []) as JsonObject);
  };

  const answerOf = ({ code, body }: Answer, step?: Step): NormalAnswer => ({
    code,
    body: bodyOf(step !== undefined && isDryRun(step) && code === 201 ? withoutUid(body) : body),
  });

  const eventOf = ({ type, object }: WatchEvent): WatchEvent => {
    if (type !== 'BOOKMARK' || !isPlainObject(object)) return { type, object: walk(object, []) };
    const { resourceVersion, ...rest } = object['metadata'] as JsonObject;
    const { kind, apiVersion } = object;
    // Bookmarks of built-in kinds have the zero values of Go's type as well.
    const metadata = { ...rest, resourceVersion: names.floor(textIn(resourceVersion)) };
    return { type, object: { kind, apiVersion, metadata } };
  };

  const normalOf = (one: Played): NormalPlayed =>
    'answer' in one
      ? { step: one.step, answer: answerOf(one.answer, one.step) }
      : { step: one.step, watched: watchedOf(one.step, one.watched, { answerOf, eventOf }) };

  // Watches last until the end, so names for their values are assigned last.
  const answers = new Map(
    played.filter((one) => 'answer' in one).map((one): [Played, NormalPlayed] => [one, normalOf(one)]),
  );
  return played.map((one) => answers.get(one) ?? normalOf(one));
};

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const versionOf = ({ object }: WatchEvent): number => {
  const { metadata } = object as { readonly metadata?: { readonly resourceVersion?: string } };
  return Number(metadata?.resourceVersion ?? 0);
};

/**
 * Sorts the events of a watch of the kind Event by version. The real server has no cache for this kind: its objects arrive in
 * the order of etcd, and its deletions at any later time.
 */
const inOrderOfVersions = (events: readonly WatchEvent[]): readonly WatchEvent[] => [
  ...events.filter(({ type }) => type === 'BOOKMARK').map(() => ({ type: 'BOOKMARK', object: { metadata: {} } })),
  ...events.filter(({ type }) => type !== 'BOOKMARK').toSorted((a, b) => versionOf(a) - versionOf(b)),
];

interface Words {
  readonly answerOf: (answer: Answer) => NormalAnswer;
  readonly eventOf: (event: WatchEvent) => WatchEvent;
}

const watchedOf = (step: Step, { refusal, events }: Watched, { answerOf, eventOf }: Words): NormalWatched => {
  // The server may report an expired version by the code or by an event.
  if (refusal?.code === 410) return { events: [{ type: 'ERROR', object: answerOf(refusal).body }] };
  const due = events.filter((event) => event.type !== 'BOOKMARK' || isEndOfInitialEvents(event.object));
  const ordered = isWatch(step) && step.watch.resource.plural === 'events' ? inOrderOfVersions(due) : due;
  return { events: ordered.map(eventOf), ...(refusal && { refusal: answerOf(refusal) }) };
};

/** Other bookmarks come at times that the server chooses. */
const isEndOfInitialEvents = (object: unknown): boolean => {
  const { metadata } = object as { readonly metadata?: { readonly annotations?: JsonObject } };
  return metadata?.annotations?.['k8s.io/initial-events-end'] === 'true';
};
