import { type CelType, dyn, listOf, mapOf, scalar } from './types.ts';

/** One overload of a function. */
export interface Signature {
  /** The type of the receiver; absent for functions without a receiver. */
  readonly target?: CelType;
  readonly args: readonly CelType[];
  readonly result: CelType;
}

const NUMBERS = ['int', 'uint', 'double'];
const ORDERED = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const SUMMED = ['int', 'uint', 'double', 'duration'];

const each = (kinds: readonly string[], write: (kind: string) => string): string[] => kinds.map(write);

const comparison = (name: string): string[] => [
  ...each(ORDERED, (kind) => `${name}(${kind}, ${kind}) bool`),
  ...NUMBERS.flatMap((a) => NUMBERS.filter((b) => a !== b).map((b) => `${name}(${a}, ${b}) bool`)),
];

const conversions = (): string[] => [
  'int(int) int',
  'int(uint) int',
  'int(double) int',
  'int(string) int',
  'int(timestamp) int',
  'uint(uint) uint',
  'uint(int) uint',
  'uint(double) uint',
  'uint(string) uint',
  'double(double) double',
  'double(int) double',
  'double(uint) double',
  'double(string) double',
  'bool(bool) bool',
  'bool(string) bool',
  'bytes(bytes) bytes',
  'bytes(string) bytes',
  ...each(['string', 'bool', 'int', 'uint', 'double', 'bytes', 'timestamp', 'duration'], (k) => `string(${k}) string`),
  'timestamp(timestamp) timestamp',
  'timestamp(string) timestamp',
  'timestamp(int) timestamp',
  'duration(duration) duration',
  'duration(string) duration',
  'type(A) type',
  'dyn(A) dyn',
];

const PARTS_OF_TIME =
  'getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear getHours getMinutes getSeconds getMilliseconds';

const times = (): string[] => [
  ...PARTS_OF_TIME.split(' ').flatMap((name) => [`timestamp.${name}() int`, `timestamp.${name}(string) int`]),
  ...each(['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'], (name) => `duration.${name}() int`),
];

const OPERATORS: readonly string[] = [
  '_==_(A, A) bool',
  '_!=_(A, A) bool',
  ...['_<_', '_<=_', '_>_', '_>=_'].flatMap(comparison),
  ...each(NUMBERS, (k) => `_+_(${k}, ${k}) ${k}`),
  ...each(NUMBERS, (k) => `_-_(${k}, ${k}) ${k}`),
  ...each(NUMBERS, (k) => `_*_(${k}, ${k}) ${k}`),
  ...each(NUMBERS, (k) => `_/_(${k}, ${k}) ${k}`),
  '_%_(int, int) int',
  '_%_(uint, uint) uint',
  '_+_(string, string) string',
  '_+_(bytes, bytes) bytes',
  '_+_(list(A), list(A)) list(A)',
  '_+_(timestamp, duration) timestamp',
  '_+_(duration, timestamp) timestamp',
  '_+_(duration, duration) duration',
  '_-_(timestamp, timestamp) duration',
  '_-_(timestamp, duration) timestamp',
  '_-_(duration, duration) duration',
  '-_(int) int',
  '-_(double) double',
  '!_(bool) bool',
  '_[_](list(A), int) A',
  '_[_](map(A, B), A) B',
  '@in(A, list(A)) bool',
  '@in(A, map(A, B)) bool',
  '_?_:_(bool, A, A) A',
];

const STRINGS: readonly string[] = [
  ...each(['string', 'bytes', 'list(A)', 'map(A, B)'], (k) => `size(${k}) int`),
  ...each(['string', 'bytes', 'list(A)', 'map(A, B)'], (k) => `${k}.size() int`),
  ...each(['contains', 'startsWith', 'endsWith', 'matches'], (name) => `string.${name}(string) bool`),
  'matches(string, string) bool',
  'string.charAt(int) string',
  'string.indexOf(string) int',
  'string.indexOf(string, int) int',
  'string.lastIndexOf(string) int',
  'string.lastIndexOf(string, int) int',
  'string.lowerAscii() string',
  'string.upperAscii() string',
  'string.trim() string',
  'string.replace(string, string) string',
  'string.replace(string, string, int) string',
  'string.split(string) list(string)',
  'string.split(string, int) list(string)',
  'string.substring(int) string',
  'string.substring(int, int) string',
  'list(string).join() string',
  'list(string).join(string) string',
  'string.find(string) string',
  'string.findAll(string) list(string)',
  'string.findAll(string, int) list(string)',
];

const LISTS: readonly string[] = [
  ...each(ORDERED, (k) => `list(${k}).isSorted() bool`),
  ...each(ORDERED, (k) => `list(${k}).min() ${k}`),
  ...each(ORDERED, (k) => `list(${k}).max() ${k}`),
  ...each(SUMMED, (k) => `list(${k}).sum() ${k}`),
  'list(A).indexOf(A) int',
  'list(A).lastIndexOf(A) int',
  'list(A).distinct() list(A)',
  'list(A).reverse() list(A)',
  'list(A).slice(int, int) list(A)',
  ...each(ORDERED, (k) => `list(${k}).sort() list(${k})`),
  'list(list(A)).flatten() list(A)',
  'lists.range(int) list(int)',
  'sets.contains(list(A), list(A)) bool',
  'sets.equivalent(list(A), list(A)) bool',
  'sets.intersects(list(A), list(A)) bool',
];

/** Functions of optional values, available in rules with `optionalOldSelf`. */
const OPTIONALS: readonly string[] = [
  'optional(A).hasValue() bool',
  'optional(A).value() A',
  'optional(A).orValue(A) A',
];

/**
 * Functions of the real API server that this library does not implement. The API server of the virtual and the embedded cluster
 * refuses rules that call these functions. The message names the function.
 */
export const MISSING_FUNCTIONS: ReadonlySet<string> = new Set(
  [
    'isURL url getScheme getHost getHostname getPort getEscapedPath getQuery',
    'isQuantity quantity isInteger asInteger asApproximateFloat sign add sub isGreaterThan isLessThan compareTo',
    'isIP ip family isCanonical ip.isCanonical isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast',
    'isCIDR cidr containsIP containsCIDR masked prefixLength',
    'isSemver semver major minor patch',
    'format validate format.named format.dns1123Label format.dns1123Subdomain format.dns1035Label format.qualifiedName format.dns1123LabelPrefix format.dns1123SubdomainPrefix format.dns1035LabelPrefix format.labelValue format.uri format.uuid format.byte format.date format.datetime',
    'authorizer path group serviceAccount resource subresource namespace name check allowed reason errored error',
    'optional.of optional.ofNonZeroValue optional.none or optMap optFlatMap unwrapOpt optional.unwrap',
    'first last sortBy transformList transformMap transformMapEntry existsOne',
  ]
    .join(' ')
    .split(' '),
);

const splitTop = (text: string): string[] => {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const c of text) {
    depth += c === '(' ? 1 : c === ')' ? -1 : 0;
    if (c === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else part += c;
  }
  return part.trim() === '' ? parts : [...parts, part];
};

const typeIn = (text: string): CelType => {
  const [, outer, inner] = /^(list|map|optional)\((.*)\)$/.exec(text.trim()) ?? [];
  const parts = splitTop(inner ?? '').map(typeIn);
  const [first = dyn, second = dyn] = parts;
  if (outer === 'list') return listOf(first);
  if (outer === 'optional') return { kind: 'optional', item: first };
  if (outer === 'map') return mapOf(first, second);
  const name = text.trim();
  return /^[A-Z]$/.test(name) ? { kind: 'param', name } : scalar(name as 'int');
};

/** The notation of a signature, such as `list(A).indexOf(A) int` or `lists.range(int) list(int)`. */
const FORM = /^(?:((?:list|map|optional)\(.*\)|string|bytes|timestamp|duration)\.)?([^\s(]+)\((.*)\) (\S.*)$/;

const add = (table: Map<string, Signature[]>, text: string): void => {
  const [, target, name = '', args = '', result = ''] = FORM.exec(text) ?? [];
  const signature: Signature = {
    ...(target !== undefined && { target: typeIn(target) }),
    args: splitTop(args).map(typeIn),
    result: typeIn(result),
  };
  table.set(name, [...(table.get(name) ?? []), signature]);
};

const build = (): ReadonlyMap<string, readonly Signature[]> => {
  const table = new Map<string, Signature[]>();
  for (const text of [...OPERATORS, ...conversions(), ...times(), ...STRINGS, ...LISTS, ...OPTIONALS]) add(table, text);
  return table;
};

/**
 * The overloads of the functions and operators that rules can use, by name. Operators have the names that the parser uses.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/cel/environment/base.go
 */
export const SIGNATURES = build();
