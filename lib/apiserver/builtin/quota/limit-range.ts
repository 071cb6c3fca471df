import { duplicate, forbiddenField, invalidValue, keyPath, required } from '#lib/apiserver/machinery/field-error.ts';
import {
  entriesIn,
  listIn,
  mapItems,
  mapMember,
  objectIn,
  textIn,
  withDefaults,
} from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123Subdomain, isQualifiedName } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { quantityOf, storedQuantity } from '../codec/quantity.ts';
import { withRoundedAmounts } from '../pods/container-defaults.ts';
import type { BuiltinKind } from '../strategy.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { isHugePages, isNativeResource } from '../validation/resource-names.ts';
import { checkContainerResourceName, checkResourceName } from '../validation/resources-validation.ts';

const TYPES = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);
const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type ListName = (typeof LISTS)[number];

const completed = (item: JsonObject, name: ListName, defaults: ListName): JsonObject => {
  const given = objectIn(item, name);
  const amounts = withDefaults(given, objectIn(item, defaults));
  return amounts === given ? item : { ...item, [name]: amounts };
};

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/core/v1/defaults.go (`SetDefaults_LimitRangeItem`) */
const itemDefaults = (item: JsonObject): JsonObject => {
  const full =
    textIn(item, 'type') === 'Container'
      ? completed(completed(completed(item, 'default', 'max'), 'defaultRequest', 'default'), 'defaultRequest', 'min')
      : item;
  return LISTS.reduce(withRoundedAmounts, full);
};

const checkType = (path: string, type: string): FieldErrors => {
  const errors = checkText(path, type, isQualifiedName);
  if (errors.length > 0 || type.includes('/') || TYPES.has(type)) return errors;
  return [invalidValue(path, type, 'must be a standard limit type or fully qualified')];
};

const checkNames = (path: string, item: JsonObject, lists: readonly ListName[]): FieldErrors => {
  const check = ['Pod', 'Container'].includes(textIn(item, 'type')) ? checkContainerResourceName : checkResourceName;
  return lists.flatMap((list) =>
    entriesIn(item, list).flatMap(([name]) => check(keyPath(`${path}.${list}`, name), name)),
  );
};

/** An order of two amounts: `low` must not exceed `high`. An error shows the amount of `shown` at the path of `at`. */
interface Order {
  readonly low: ListName;
  readonly high: ListName;
  readonly at: ListName;
  readonly shown: ListName;
  readonly detail: (low: string, high: string) => string;
}

const ORDERS: readonly Order[] = [
  {
    low: 'min',
    high: 'max',
    at: 'min',
    shown: 'min',
    detail: (low, high) => `min value ${low} is greater than max value ${high}`,
  },
  {
    low: 'min',
    high: 'defaultRequest',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    detail: (low, high) => `min value ${low} is greater than default request value ${high}`,
  },
  {
    low: 'defaultRequest',
    high: 'max',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    detail: (low, high) => `default request value ${low} is greater than max value ${high}`,
  },
  {
    low: 'defaultRequest',
    high: 'default',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    detail: (low, high) => `default request value ${low} is greater than default limit value ${high}`,
  },
  {
    low: 'min',
    high: 'default',
    at: 'default',
    shown: 'min',
    detail: (low, high) => `min value ${low} is greater than default value ${high}`,
  },
  {
    low: 'default',
    high: 'max',
    at: 'default',
    shown: 'max',
    detail: (low, high) => `default value ${low} is greater than max value ${high}`,
  },
];

const nanoOf = (amount: string): bigint => storedQuantity(amount).nano;

const checkOrders = (path: string, item: JsonObject, resource: string): FieldErrors =>
  ORDERS.flatMap(({ low, high, at, shown, detail }) => {
    const [less, more] = [textIn(objectIn(item, low), resource), textIn(objectIn(item, high), resource)];
    if (less === '' || more === '' || nanoOf(less) <= nanoOf(more)) return fine;
    const value = shown === low ? less : more;
    return [invalidValue(keyPath(`${path}.${at}`, resource), value, detail(less, more))];
  });

const checkRatio = (path: string, item: JsonObject, resource: string): FieldErrors => {
  const amountIn = (list: ListName): string => textIn(objectIn(item, list), resource);
  const [ratio, min, max] = [amountIn('maxLimitRequestRatio'), amountIn('min'), amountIn('max')];
  if (ratio === '') return fine;
  const at = keyPath(`${path}.maxLimitRequestRatio`, resource);
  const isBelowOne = nanoOf(ratio) < quantityOf(1).nano;
  const largest = min === '' || max === '' ? Number.POSITIVE_INFINITY : Number(nanoOf(max)) / Number(nanoOf(min));
  const isTooLarge = Number(nanoOf(ratio)) / Number(quantityOf(1).nano) > largest;
  return [
    ...(isBelowOne ? [invalidValue(at, ratio, `ratio ${ratio} is less than 1`)] : fine),
    ...(isTooLarge
      ? [invalidValue(at, ratio, `ratio ${ratio} is greater than max/min = ${largest.toFixed(6)}`)]
      : fine),
  ];
};

/** Checks that the default request equals the default limit for extended resources and huge pages. */
const checkSame = (path: string, item: JsonObject, resource: string): FieldErrors => {
  const [limit, request] = [
    textIn(objectIn(item, 'default'), resource),
    textIn(objectIn(item, 'defaultRequest'), resource),
  ];
  const isOvercommittable = isNativeResource(resource) && !isHugePages(resource);
  if (isOvercommittable || limit === '' || request === '' || nanoOf(limit) === nanoOf(request)) return fine;
  const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${resource}`;
  return [invalidValue(keyPath(`${path}.defaultRequest`, resource), request, detail)];
};

const POD_FORBIDDEN = ['default', 'defaultRequest'] as const;

const checkItem = (path: string, item: JsonObject): FieldErrors => {
  const type = textIn(item, 'type');
  const lists = type === 'Pod' ? LISTS.filter((list) => !POD_FORBIDDEN.some((name) => name === list)) : LISTS;
  const forbidden = POD_FORBIDDEN.filter((list) => !lists.includes(list) && entriesIn(item, list).length > 0);
  const hasStorage = ['min', 'max'].some((list) => objectIn(item, list)['storage'] !== undefined);
  const missing = 'either minimum or maximum storage value is required, but neither was provided';
  const names = new Set(lists.flatMap((list) => Object.keys(objectIn(item, list))));
  const checked = Object.fromEntries(lists.map((list) => [list, item[list]]));
  return [
    ...checkNames(path, item, lists),
    ...forbidden.map((list) => forbiddenField(`${path}.${list}`, "may not be specified when `type` is 'Pod'")),
    ...(type === 'PersistentVolumeClaim' && !hasStorage ? [required(`${path}.limits`, missing)] : fine),
    ...[...names]
      .toSorted()
      .flatMap((name) => [
        ...checkOrders(path, checked, name),
        ...checkRatio(path, checked, name),
        ...checkSame(path, checked, name),
      ]),
  ];
};

const check = (range: ServerObject): FieldErrors => {
  const items = listIn(objectIn(range, 'spec'), 'limits');
  const types = items.map((item) => textIn(item, 'type'));
  return [
    ...checkMetadata(range, { check: isDns1123Subdomain }),
    ...forItems('spec.limits', items, (item, path) => checkType(`${path}.type`, textIn(item, 'type'))),
    ...types.flatMap((type, i) => (types.indexOf(type) === i ? fine : [duplicate(`spec.limits[${i}].type`, type)])),
    ...forItems('spec.limits', items, (item, path) => checkItem(path, item)),
  ];
};

/**
 * The built-in kind LimitRange.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateLimitRange`)
 */
export const limitRangeKind: BuiltinKind = {
  group: '',
  kind: 'LimitRange',
  plural: 'limitranges',
  strategy: {
    allowsCreateOnUpdate: true,
    setDefaults: (range) => mapMember(range, 'spec', (spec) => mapItems(spec, 'limits', itemDefaults)) as ServerObject,
    check,
    checkUpdate: (range, old) => [...checkMetadataUpdate(range, old), ...check(range)],
  },
};
