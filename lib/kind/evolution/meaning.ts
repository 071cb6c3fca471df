import { equalJson } from '#lib/json.ts';
import { type Comparison, shown } from './change.ts';

const OTHER_FIELD = 'add a field of another name';

const typeOf = ({ before, after }: Parameters<Comparison>[0]): readonly [string, string] =>
  [before, after].map((schema) =>
    schema['x-kubernetes-int-or-string'] ? 'integer or string' : (schema.type ?? 'any type'),
  ) as [string, string];

/** Finds a changed type. */
export const types: Comparison = function* (pair) {
  const [was, is] = typeOf(pair);
  if (was === is) return;
  const message = `it is ${is} now, it was ${was}: stored values do not fit`;
  yield { rule: 'type-changed', path: pair.path, message, fix: OTHER_FIELD };
};

/** Finds a changed default, which changes the meaning of an absent field. */
export const defaults: Comparison = function* ({ path, before, after }) {
  // The default of `status` is not compared: the library sets this default, and no manifest contains a status.
  if (path === 'status' || equalJson(before.default, after.default)) return;
  const [was, is] = [before.default, after.default].map((value) => (value === undefined ? 'none' : shown(value)));
  const message = `the default is ${is}, it was ${was}: manifests that leave the field out mean something else`;
  yield { rule: 'default-changed', path, message, fix: 'keep the default, and let the function choose' };
};

/** Finds changes that affect how lists and maps are merged when several field managers apply to them. */
export const merging: Comparison = function* ({ path, before, after }) {
  for (const keyword of ['x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type'] as const) {
    if (equalJson(before[keyword], after[keyword])) continue;
    const [was, is] = [before[keyword], after[keyword]].map((value) => shown(value ?? 'absent'));
    const message = `${keyword} is ${is}, it was ${was}: field managers lose track of their fields`;
    yield { rule: 'merging-changed', path, message, fix: OTHER_FIELD };
  }
};

/** Finds unknown fields that are no longer kept, and changes of keywords that cannot be compared. */
export const openness: Comparison = function* ({ path, before, after }) {
  if (before['x-kubernetes-preserve-unknown-fields'] && !after['x-kubernetes-preserve-unknown-fields']) {
    const message = 'unknown fields were kept and are dropped: stored data is lost at the next write';
    yield { rule: 'unknown-fields-dropped', path, message, fix: 'keep them' };
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf', 'not', 'x-kubernetes-embedded-resource'] as const) {
    if (after[keyword] === undefined || equalJson(before[keyword], after[keyword])) continue;
    const message = `${keyword} changed: values that were accepted may be refused`;
    yield {
      rule: 'alternatives-changed',
      path,
      message,
      fix: 'write a rule with s.…({ validations }) in another version',
    };
  }
};
