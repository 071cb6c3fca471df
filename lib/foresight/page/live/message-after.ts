import { equalJson } from '#lib/json.ts';
import { packRun } from '../packed-run.ts';
import type { LiveHistoryRun, StreamMessage } from './stream-message.ts';

/**
 * The message that brings a page up to date.
 *
 * @param before - the last history that was sent; `undefined` for none
 * @param now - the current history
 */
export const messageAfter = (before: LiveHistoryRun | undefined, now: LiveHistoryRun): StreamMessage => {
  if (before === undefined || before.merges !== now.merges) return { type: 'run', run: packRun(now) };
  const after = { events: before.events.length, objects: before.objects.length };
  const isSame =
    after.events === now.events.length && after.objects === now.objects.length && equalJson(before.notes, now.notes);
  if (isSame) return { type: 'time', durationMs: now.durationMs };
  const { events, objects } = now;
  return {
    type: 'more',
    after,
    run: packRun({ ...now, events: events.slice(after.events), objects: objects.slice(after.objects) }),
  };
};
