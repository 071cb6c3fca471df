/** What a refusal says is allowed: at synth, and by an API server. */
export interface Allowed {
  readonly synth: string;
  readonly server: string;
}

/** A resource that is refused. */
export interface BadInput {
  readonly kind: string;
  readonly reason: string;
  readonly object: Manifest;
  /** The field that the refusal names, such as `spec.replicas`; empty for the whole resource. */
  readonly field: string;
  readonly allowed: Allowed;
}

/** A resource that is accepted. */
export interface GoodInput {
  readonly kind: string;
  readonly reason: string;
  readonly object: Manifest;
}

/** A change of an existing resource, as a merge patch. Without `refused`, the server accepts it. */
export interface Change {
  readonly kind: string;
  readonly reason: string;
  readonly from: Manifest;
  readonly patch: object;
  /** @default the resource itself */
  readonly subresource?: 'status' | 'scale';
  readonly refused?: { readonly field: string; readonly message: string };
}

/** A resource as users write it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: unknown;
}

const same = (text: string): Allowed => ({ synth: text, server: text });
const quoted = (values: readonly string[]): string => values.map((value) => JSON.stringify(value)).join(', ');

export const atLeast = (n: number): Allowed => ({ synth: `must be >= ${n}`, server: `greater than or equal to ${n}` });
export const atMost = (n: number): Allowed => ({ synth: `must be <= ${n}`, server: `less than or equal to ${n}` });
export const longest = (n: number): Allowed => ({
  synth: `at most ${n} character`,
  server: `may not be more than ${n}`,
});
export const shortest = (n: number): Allowed => ({ synth: `at least ${n} character`, server: `at least ${n} chars` });
export const mostItems = (n: number): Allowed => ({
  synth: `at most ${n} items`,
  server: `must have at most ${n} items`,
});
export const fewestItems = (n: number): Allowed => ({ synth: `at least ${n} items`, server: `at least ${n} items` });
export const mostEntries = (n: number): Allowed => ({ synth: `at most ${n} properties`, server: `at most ${n} items` });
export const pattern = (text: string): Allowed => same(text);
export const oneOf = (...values: readonly string[]): Allowed => same(quoted(values));
/** The message of a rule in CEL. */
export const rule = (message: string): Allowed => same(message);
export const required: Allowed = { synth: 'is required', server: 'Required value' };
export const whole: Allowed = { synth: 'must be a whole number', server: 'must be of type integer' };
export const wholeOrText: Allowed = { synth: 'must be a whole number or a string', server: 'must be' };
export const text: Allowed = { synth: 'must be a string', server: 'must be of type string' };
export const flag: Allowed = { synth: 'must be true or false', server: 'must be of type boolean' };
export const list: Allowed = { synth: 'must be a list', server: 'must be of type array' };
export const fields: Allowed = { synth: 'must be an object', server: 'must be of type object' };
export const distinct: Allowed = { synth: 'is the same', server: 'Duplicate value' };
export const known: Allowed = same('unknown field');
export const dns: Allowed = {
  synth: 'must consist of lower-case letters',
  server: 'lower case alphanumeric characters',
};

/** The pattern of a percentage of the whole. */
export const PERCENT = '^(100|[0-9]{1,2})%$';

/** Cases of one kind. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The least that a spec needs, on top of which cases stand. */
  readonly spec: object;
}

const present = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined));

type Bad = (reason: string, spec: unknown, named: readonly [field: string, allowed: Allowed]) => BadInput;

/**
 * Makes cases with a wrong spec: the least spec of the kind with the members of `spec` in it, or `spec` itself if it is not an
 * object.
 */
export const badSpecs =
  ({ apiVersion, kind, spec: least }: Kind): Bad =>
  (reason, spec, [field, allowed]) => {
    const whole = typeof spec === 'object' && spec !== null ? { ...least, ...spec } : spec;
    const manifest = { apiVersion, kind, metadata: { name: 'web' }, ...(whole !== undefined && { spec: whole }) };
    return { kind, reason, object: manifest, field, allowed };
  };

/** Makes cases of a kind whose name is wrong. */
export const badNames =
  ({ apiVersion, kind, spec }: Kind) =>
  (reason: string, name: string, allowed: Allowed): BadInput => ({
    kind,
    reason,
    object: { apiVersion, kind, metadata: { name }, spec },
    field: 'metadata.name',
    allowed,
  });

/** Makes cases of a kind that are right. */
export const goodSpecs =
  ({ apiVersion, kind, spec: least }: Kind) =>
  (reason: string, spec: object = {}, name = 'web'): GoodInput => ({
    kind,
    reason,
    object: { apiVersion, kind, metadata: { name }, spec: present({ ...least, ...spec }) },
  });
