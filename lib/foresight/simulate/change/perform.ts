import type { Verb } from '#lib/foresight/simulate/script/script-schema.ts';
import { answerRuleOf } from '#lib/foresight/simulate/targets/answer-url.ts';
import { type Done, type SimulatedChange, shownText } from './change-context.ts';
import { faultChanges } from './fault-changes.ts';
import { userChanges } from './user-changes.ts';

/** Sets the response to HTTP requests of effects. */
const answer = ({ targets, change }: SimulatedChange): readonly Done[] => {
  const object = shownText(change.subject);
  const rule = answerRuleOf({ ...change.fields, url: object });
  const { status, body } = rule;
  targets.answers.push(rule);
  return [{ object, what: `answers ${status}${body === '' ? '' : ` ${JSON.stringify(body)}`}` }];
};

const acts: Readonly<Record<Verb, (context: SimulatedChange) => readonly Done[]>> = {
  ...userChanges,
  ...faultChanges,
  answer,
};

/**
 * Executes one change of a script.
 *
 * @throws {InvalidScriptError} when the change is impossible now, with the existing objects
 */
export const perform = (context: SimulatedChange): readonly Done[] => acts[context.change.verb](context);
