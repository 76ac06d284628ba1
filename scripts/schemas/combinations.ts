import { recordAt, type Json } from '../../src/shared/json-fields.ts'

/** Combinations of fields that no spec has. The operator reports those that are not here in the status. */
export const COMBINATIONS = [
  {
    rule: '!has(self.store) || has(self.store.etcd) != has(self.store.kine)',
    message: '"store" must have one of "etcd" and "kine"',
  },
  {
    rule: '!has(self.store) || !has(self.store.etcd) || !has(self.store.etcd.shared)',
    message:
      '"store.etcd.shared" is not possible in a ControlPlane: the operator uses no etcd of others',
  },
  {
    rule: '!has(self.backup) || !has(self.store) || !has(self.store.kine)',
    message: '"backup" is not possible with "store.kine", which has no backups',
  },
  {
    rule: '!has(self.idle) || !self.?ephemeral.orValue(false)',
    message: '"idle" is not possible for an ephemeral plane: a pause would delete its data',
  },
  {
    rule: "self.?sync.?scheduler.orValue('host') == 'host' || self.?sync.?nodes.orValue(false)",
    message: '"sync.scheduler: virtual" needs "sync.nodes"',
  },
  {
    rule: "!has(self.scheduler) || self.?sync.?scheduler.orValue('host') == 'virtual' || !self.?sync.?enabled.orValue(true)",
    message: '"scheduler" configures the plane\'s own scheduler, and this plane has none',
  },
  {
    rule: '!has(self.policies) || has(self.sync)',
    message: '"policies" are about pods and their objects, and this plane runs no pods',
  },
  {
    rule: "!has(self.deletionPolicy) || self.deletionPolicy != 'Snapshot' || has(self.backup)",
    message: '"deletionPolicy: Snapshot" needs "backup", whose "store" gets the snapshot',
  },
  {
    rule: '!has(self.backup) || has(self.backup.store)',
    message: '"backup" needs a "store"',
  },
  {
    rule: "!has(self.credentials) || self.?expose.?type.orValue('none') != 'none' || self.credentials.all(name, self.credentials[name].?address.orValue('in-cluster') != 'exposed')",
    message: '"credentials" with "address: exposed" need "expose"',
  },
]

/** The same within each of the `credentials`. */
const CREDENTIAL_COMBINATIONS = [
  {
    rule: 'has(self.user) != has(self.serviceAccount)',
    message: 'needs either "user" or "serviceAccount"',
  },
  {
    rule: '!has(self.groups) || !has(self.serviceAccount)',
    message: '"groups" are those of a "user": the groups of a ServiceAccount are fixed',
  },
  {
    rule: "!has(self.user) || !self.user.startsWith('system:')",
    message: '"user" must not begin with "system:", which is reserved for Kubernetes',
  },
]

/** An API server estimates the costs of rules from it. */
const MOST_CREDENTIALS = 256

/** The spec with the rules for each of its `credentials`. */
export function withCredentialRules(spec: Json): Json {
  const properties = recordAt(spec, 'properties') ?? {}
  const entry = recordAt(properties, 'credentials', 'additionalProperties')
  const credentials = {
    ...recordAt(properties, 'credentials'),
    maxProperties: MOST_CREDENTIALS,
    additionalProperties: { ...entry, 'x-kubernetes-validations': CREDENTIAL_COMBINATIONS },
  }
  return { ...spec, properties: { ...properties, credentials } }
}
