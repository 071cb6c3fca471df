import { type Chapter, chapters } from './chapters.ts';
import { setChapters } from './set-chapters.ts';

/** The stories by the names of the files with their outcomes. Each story begins with a new cluster. */
export const stories: Readonly<Record<string, readonly Chapter[]>> = {
  recorded: chapters,
  'recorded-sets': setChapters,
};
