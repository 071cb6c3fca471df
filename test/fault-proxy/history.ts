/** Earlier answers to lists, and initial events of watches. */
export interface AnswerHistory {
  /** Stores an answer to a question. */
  readonly keep: (question: string, answer: string) => void;
  /** The answer from `back` answers ago, where 1 is the last; undefined when there were fewer. */
  readonly recall: (question: string, back: number) => string | undefined;
}

/** Number of answers that are kept per question. */
const DEPTH = 8;

/** An empty history. */
export const createHistory = (): AnswerHistory => {
  const answers = new Map<string, string[]>();
  return {
    keep: (question, answer) => {
      answers.set(question, [...(answers.get(question) ?? []), answer].slice(-DEPTH));
    },
    recall: (question, back) => answers.get(question)?.at(-back),
  };
};
