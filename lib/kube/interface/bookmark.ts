import type { WatchEvent } from './api.ts';
import { asText, isRecord } from './json.ts';

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * Reads the object of a BOOKMARK event.
 *
 * @returns undefined when the object has no resource version
 */
export const bookmarkOf = (object: unknown): Extract<WatchEvent, { type: 'BOOKMARK' }> | undefined => {
  const metadata = isRecord(object) && isRecord(object['metadata']) ? object['metadata'] : {};
  const resourceVersion = asText(metadata['resourceVersion']);
  if (resourceVersion === undefined) return undefined;
  const { annotations } = metadata;
  const isEnd = isRecord(annotations) && annotations[INITIAL_EVENTS_END] === 'true';
  return { type: 'BOOKMARK', resourceVersion, ...(isEnd && { endsInitialEvents: true }) };
};
