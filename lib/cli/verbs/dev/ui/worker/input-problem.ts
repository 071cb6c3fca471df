import type { InputProblem } from '#lib/foresight/page/live/trial.ts';
import { parseYamlFile } from '../../../../project/yaml-file.ts';

/** The name of the input in messages: `readManifests` reads the input as stdin. */
const INPUT = 'stdin';

const POSITION = new RegExp(`^${INPUT}:(\\d+)(?::(\\d+))?: `);

/** Splits a message such as `stdin:3:5: the problem` into the position and the problem. */
export const inputProblemOf = (message: string): InputProblem => {
  const [start = '', line, column] = POSITION.exec(message) ?? [];
  return {
    message: message.slice(start.length),
    ...(line !== undefined && { line: Number(line) }),
    ...(column !== undefined && { column: Number(column) }),
  };
};

/** A path of a field in a message of the API server, such as `unknown field "spec.replica"` or `spec.steps[0].percent: Invalid`. */
const FIELD = /unknown field "([^"]+)"|(?:^|[\s[:])((?:spec|metadata|data|stringData)(?:[.[][\w.[\]"/-]*)?):/;

/** In a message about unknown fields, the whole object comes before these words. */
const STRICT = 'strict decoding error: ';

/** The message of a refusal, without the object that the server repeats. */
const shortMessage = (message: string): string => {
  const start = message.indexOf(STRICT);
  return start === -1 ? message : message.slice(start + STRICT.length);
};

/**
 * Finds the position of a refused field. Without a field in the message, and for several documents, the position is unknown.
 *
 * @param yaml - the manifest
 * @param refusal - the message of the API server
 */
export const refusedProblem = (yaml: string, refusal: string): InputProblem => {
  const message = shortMessage(refusal);
  const [, unknown, named] = FIELD.exec(message) ?? [];
  const path = unknown ?? named;
  if (path === undefined) return { message };
  try {
    return { ...inputProblemOf(`${parseYamlFile(INPUT, yaml).at(path)}: `), message };
  } catch {
    return { message };
  }
};
