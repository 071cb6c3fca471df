import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';

const MAX_VALUE = 40;

const shown = (value: unknown): string => {
  const json = value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
  return json.length > MAX_VALUE ? `${json.slice(0, MAX_VALUE)}…` : json;
};

const member = (value: unknown, name: string): unknown => (isPlainObject(value) ? value[name] : undefined);

const imagesOf = (spec: unknown): string => {
  const containers = member(member(member(spec, 'template'), 'spec'), 'containers');
  return Array.isArray(containers) ? containers.map((container) => String(member(container, 'image'))).join(', ') : '';
};

const fieldChange = (name: string, before: unknown, now: unknown): string => {
  if (name === 'replicas') return `scaled from ${shown(before)} to ${shown(now)}`;
  const isSmall = [before, now].every((value) => !isPlainObject(value) && !Array.isArray(value));
  return isSmall ? `${name} ${shown(before)} → ${shown(now)}` : `${name} changed`;
};

const specChanges = (now: JsonObject, before: JsonObject): readonly string[] => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].toSorted();
  const changed = names.filter((name) => !equalJson(before[name], now[name]));
  return changed.map((name) => {
    const [old, next] = [imagesOf(before), imagesOf(now)];
    return name === 'template' && old !== next ? `image ${old} → ${next}` : fieldChange(name, before[name], now[name]);
  });
};

const created = (object: ServerObject): string => {
  const replicas = member(object['spec'], 'replicas');
  return typeof replicas === 'number' ? `created with ${replicas} replicas` : 'created';
};

/**
 * Describes the creation, the deletion or the changes of a child. Only `spec` is compared, or `data` for an object without
 * `spec`.
 */
export const changesOfChild = (now: ServerObject | undefined, before: ServerObject | undefined): readonly string[] => {
  if (before === undefined) return now === undefined ? [] : [created(now)];
  if (now === undefined) return before.metadata.deletionTimestamp === undefined ? ['deleted'] : ['gone'];
  if (before.metadata.deletionTimestamp === undefined && now.metadata.deletionTimestamp !== undefined)
    return ['deletion begins'];
  const [old, next] = [before['spec'], now['spec']];
  if (isPlainObject(old) && isPlainObject(next)) return specChanges(next, old);
  return equalJson(before['data'], now['data']) ? [] : ['data changed'];
};
