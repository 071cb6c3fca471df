import { createHmac } from 'node:crypto';
import { labelOf } from '#lib/conversion/annotate.ts';
import { ConversionError } from '#lib/conversion/error.ts';
import { answerText, type HttpReviewAnswer } from '#lib/conversion/webhook/answer.ts';
import { isHung } from '#lib/desired/runaway/hung.ts';
import { runLimited } from '#lib/desired/runaway/run-limited.ts';
import type { KindShape } from '#lib/kind/shape.ts';

/**
 * The time limit for one object, in milliseconds. A usual object takes a few milliseconds, and an object of 1.5 MB some hundred
 * milliseconds. The API server waits 30 s for all objects of a review.
 */
const OBJECT_LIMIT_MS = 5000;

const guard = <R>(call: () => R): R => {
  try {
    return runLimited(call, OBJECT_LIMIT_MS);
  } catch (error) {
    if (!isHung(error)) throw error;
    throw new ConversionError('conversion', '', `did not end within ${OBJECT_LIMIT_MS} ms`);
  }
};

/** Answers conversion reviews in the thread of the caller. */
export interface Answering {
  answer(text: string): HttpReviewAnswer;
  /** Sets the key for the labels of converted objects without room for their kept data. All replicas use the same key. */
  useKey(key: string): void;
}

/** Loads the modules for conversions, and returns the functions that answer reviews for `kinds`. */
export const createAnswering = async (kinds: readonly KindShape[]): Promise<Answering> => {
  const { webhookTools } = await import('#lib/conversion/tools.ts');
  let key = '';
  const seal = (uid: string): string => labelOf(createHmac('sha256', key).update(uid).digest('hex'));
  return {
    answer: (text) => answerText(kinds, text, { ...webhookTools, seal, guard }),
    useKey: (next) => void (key = next),
  };
};
