import { isDnsLabel, isDnsSubdomain, LABEL_LENGTH, SUBDOMAIN_LENGTH } from '../dns.ts';
import { namesOf } from '../names.ts';
import type { RuleFinding, ShapeRule } from './rule.ts';

const LABEL = `must be lower-case letters, digits and "-", begin with a letter, and have at most ${LABEL_LENGTH} characters`;

/** The group is a domain with a dot. */
export const group: ShapeRule = {
  id: 'group',
  *check({ shape }): Iterable<RuleFinding> {
    if (isDnsSubdomain(shape.group) && shape.group.includes('.')) return;
    yield { at: 'group', message: 'must be a lower-case domain with at least one dot', value: shape.group };
  },
};

/**
 * The group does not belong to the Kubernetes project. The API server accepts a group of the project (k8s.io, kubernetes.io and
 * their subdomains) only with an annotation that names the pull request in which the API was approved.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apihelpers/helpers.go
 */
export const protectedGroup: ShapeRule = {
  id: 'protected-group',
  *check({ shape }): Iterable<RuleFinding> {
    if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(shape.group)) return;
    yield {
      at: 'group',
      message: 'is reserved for the Kubernetes project',
      value: shape.group,
      fix: 'use a domain of yours',
    };
  },
};

/** The version is a DNS label. */
export const version: ShapeRule = {
  id: 'version',
  *check({ shape }): Iterable<RuleFinding> {
    if (!isDnsLabel(shape.version))
      yield { at: 'version', message: LABEL, value: shape.version, fix: 'such as v1alpha1' };
  },
};

/**
 * Kind, list kind, plural, singular and short names are DNS labels. Only kind and list kind have capital letters. The plural and
 * the group together have at most 252 characters.
 */
export const names: ShapeRule = {
  id: 'names',
  *check({ shape }): Iterable<RuleFinding> {
    const { kind, listKind, plural, shortNames, crdName } = namesOf(shape);
    if (!isDnsLabel(kind.toLowerCase()) || !isDnsLabel(listKind.toLowerCase())) {
      const message = `must be letters and digits, begin with a letter, and have at most ${LABEL_LENGTH - 4} characters`;
      yield { at: 'kind', message, value: kind };
      return;
    }
    if (!isDnsLabel(plural)) yield { at: 'plural', message: LABEL, value: plural };
    for (const [at, name] of shortNames.entries()) {
      if (!isDnsLabel(name)) yield { at: `shortNames[${at}]`, message: LABEL, value: name };
    }
    if (crdName.length > SUBDOMAIN_LENGTH) {
      yield {
        at: 'group',
        message: `plural and group must have at most ${SUBDOMAIN_LENGTH - 1} characters`,
        value: crdName,
      };
    }
  },
};

/** The limit of `metadata.name` is within the limit of Kubernetes. This rule is stricter than the API server. */
export const nameLength: ShapeRule = {
  id: 'name-length',
  *check({ shape }): Iterable<RuleFinding> {
    const value = shape.name?.maxLength;
    if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= SUBDOMAIN_LENGTH)) return;
    yield { at: 'name.maxLength', message: `must be a whole number from 1 to ${SUBDOMAIN_LENGTH}`, value };
  },
};
