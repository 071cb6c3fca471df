import { ConnectionError } from '#lib/errors.ts';
import type { ApiObject, OnRefused, WatchEvent, WatchOptions } from '#lib/kube/interface/api.ts';
import { bookmarkOf } from '#lib/kube/interface/bookmark.ts';
import { isRecord } from '#lib/kube/interface/json.ts';
import { isUsable } from '#lib/kube/interface/object-check.ts';
import { errorOfStatus } from '#lib/kube/interface/status-error.ts';
import { MalformedStreamError } from '#lib/kube/transport/malformed.ts';
import { eventHeadOf } from './event-head.ts';

/** The longest part of an unknown event type in a message, in characters. */
const SHOWN_TYPE_LENGTH = 40;

const parseLine = (request: string, line: string, isWhole: boolean): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    const start = `Cannot ${request}: the stream`;
    if (!isWhole) throw new ConnectionError(`${start} broke off in the middle of an event`);
    throw new MalformedStreamError(`${start} has a line that is not JSON; is this an API server?`);
  }
};

/** One line of a watch. */
export interface WatchLine {
  readonly text: string;
  /** Whether the line ended with a newline. The last line of a broken stream may be incomplete. */
  readonly isWhole: boolean;
}

/** Options for reading the events of a watch. */
export interface WatchReading {
  /** Called for an invalid event. */
  readonly onRefused: OnRefused;
  /** See `WatchOptions.held`. */
  readonly held?: WatchOptions['held'] | undefined;
}

const heldOf = (text: string, find: WatchOptions['held']): ApiObject | undefined => {
  const head = find && eventHeadOf(text);
  return head && find(head);
};

/**
 * Parses one line of a watch. Many events repeat the response to a write of this process. If `held` returns the stored object of
 * such an event, the result is a MODIFIED event with the stored object. For a built-in kind, {@link eventHeadOf} makes the
 * parsing of the line unnecessary.
 *
 * @param request - such as `watch pods`; error messages begin with it
 * @param line - the line, and the options for reading it
 * @returns undefined for an event that cannot be used
 * @throws ApiError for an ERROR event, made from the `Status` in the event
 * @throws ConnectionError for a line without a newline that is not JSON, because the stream broke off
 * @throws MalformedStreamError for a complete line that is not JSON
 */
export const parseWatchEvent = (
  request: string,
  { text, isWhole, onRefused, held: find }: WatchLine & WatchReading,
): WatchEvent | undefined => {
  const held = isWhole ? heldOf(text, find) : undefined;
  if (held) return { type: 'MODIFIED', object: held };
  const event = parseLine(request, text, isWhole);
  const { type, object } = isRecord(event) ? event : {};
  if (type === 'ERROR') throw errorOfStatus(request, object);
  if (type === 'BOOKMARK') {
    const bookmark = bookmarkOf(object);
    if (!bookmark) onRefused('a bookmark has no resource version');
    return bookmark;
  }
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
    if (!isUsable(object, onRefused)) return undefined;
    const same = type === 'DELETED' ? undefined : find?.(object.metadata);
    return same ? { type: 'MODIFIED', object: same } : { type, object };
  }
  const shown = typeof type === 'string' ? `"${type.slice(0, SHOWN_TYPE_LENGTH)}"` : 'missing or not a string';
  onRefused(`the type of an event is ${shown}, not ADDED, MODIFIED, DELETED, BOOKMARK or ERROR`);
  return undefined;
};
