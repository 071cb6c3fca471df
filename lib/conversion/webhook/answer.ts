import { tellable } from '#lib/conversion/error.ts';
import type { KindShape } from '#lib/kind/shape.ts';
import { answerReview, MalformedReviewError, type ReviewOptions } from './review.ts';

/** The HTTP response to a ConversionReview. */
export interface HttpReviewAnswer {
  readonly status: 200 | 400 | 500;
  /** A ConversionReview in JSON for the status 200; otherwise an error message. */
  readonly body: string;
  /** The reason why objects cannot be converted, for the log. The reason contains no values of spec and status. */
  readonly problem?: string;
}

/**
 * Converts the objects of a ConversionReview, and returns the HTTP response.
 *
 * Guarantees: never throws.
 *
 * @param shapes - the kinds that have several versions
 * @param text - the body of the request
 * @param options - the functions for conversions
 */
export const answerText = (shapes: readonly KindShape[], text: string, options: ReviewOptions): HttpReviewAnswer => {
  try {
    const answer = answerReview(shapes, JSON.parse(text), options);
    const { result } = answer.response;
    const body = JSON.stringify(answer);
    return result.status === 'Failure' ? { status: 200, body, problem: result.message } : { status: 200, body };
  } catch (error) {
    if (error instanceof SyntaxError) return { status: 400, body: 'the body is no JSON' };
    if (error instanceof MalformedReviewError) return { status: 400, body: error.message };
    return { status: 500, body: 'the review cannot be answered', problem: tellable(error) };
  }
};
