import { isRecord, recordsAt, fieldAt, recordAt, type Json } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { namesOf, type Naming, toVirtualWords } from '../translate/virtual-words.ts'
import { endedEphemeral } from './can-start-again.ts'
import type { RefusedContainer } from './change-host-pod.ts'
import { readinessGatesOf } from '../translate/pod-fields.ts'
import { provided } from '../translate/reading.ts'

interface PodPair extends Required<Pick<Naming, 'nameOf'>> {
  virtual: KubeObject
  host: KubeObject
  /** @default none */
  refused?: readonly RefusedContainer[]
  /** Whether the host pod is already as the virtual one wants it. @default true */
  isCurrent?: boolean
}

interface Condition extends Json {
  type: string
}

/** Fields about resource claims and nodes of the host, which the plane does not have. */
const HOST_ONLY = [
  'extendedResourceClaimStatus',
  'nodeAllocatableResourceClaimStatuses',
  'nominatedNodeName',
  'resourceClaimStatuses',
]

/** Conditions that the host's kubelet removes again; all others that only the virtual pod has are its own. */
const TEMPORARY = ['PodResizeInProgress', 'PodResizePending']

/** The status of a virtual pod: that of its host pod with the plane's names, and its own conditions, as for gates. */
export function toVirtualStatus(pair: PodPair): Record<string, unknown> {
  const { host, isCurrent = true, nameOf, virtual } = pair
  const hostStatus = recordAt(host, 'status') ?? {}
  const { generation } = virtual.metadata
  const names = { host: namesOf(host), virtual: namesOf(virtual), nameOf }
  const translated = withMessages(hostStatus, (text) => toVirtualWords(text, names))
  const status = Object.fromEntries(
    Object.entries(translated).filter(([field]) => !HOST_ONLY.includes(field)),
  )
  const conditions = withGates(
    mergedConditions(conditionsOf(virtual['status']), conditionsOf(status)),
    readinessGatesOf(virtual),
  )
  const { observedGeneration } = hostStatus
  const isObserved = isCurrent && observedGeneration === host.metadata['generation']
  const before = fieldAt(virtual, 'status', 'observedGeneration')
  return {
    ...status,
    ...withOwnEphemeral(pair, status),
    ...provided({ conditions: conditions.map((one) => withGeneration(one, generation)) }),
    ...(observedGeneration === undefined
      ? {}
      : { observedGeneration: isObserved ? generation : before }),
  }
}

/**
 * The ephemeral containers that only the virtual pod has. Refused ones stay in the state waiting, with the reason, which
 * `kubectl debug` prints. Those that ended in an earlier host pod stay as they are.
 */
function withOwnEphemeral(
  { refused = [], virtual }: PodPair,
  status: Record<string, unknown>,
): Record<string, unknown> {
  // A refused one may have the name of one that someone else has added on the host.
  const known = recordsAt(status, 'ephemeralContainerStatuses').filter(
    ({ name }) => !refused.some((one) => one.name === name),
  )
  const ended = endedEphemeral(virtual).filter(
    ({ name }) => !known.some((one) => one['name'] === name),
  )
  const waiting = refused.map(({ image, message, name, reason }) => ({
    name,
    image,
    imageID: '',
    lastState: {},
    ready: false,
    restartCount: 0,
    state: { waiting: { reason, message } },
  }))
  return provided({ ephemeralContainerStatuses: [...known, ...ended, ...waiting] })
}

function conditionsOf(status: unknown): Condition[] {
  return recordsAt(status, 'conditions').filter(
    (one): one is Condition => typeof one['type'] === 'string',
  )
}

function mergedConditions(own: readonly Condition[], host: readonly Condition[]): Condition[] {
  const types = new Set([...host.map(({ type }) => type), ...TEMPORARY])
  const scheduled = own.find(isScheduled)
  return [
    ...host.map((one) => (isScheduled(one) ? { ...one, ...scheduled } : one)),
    ...own.filter(({ type }) => !types.has(type)),
  ]
}

/** Each API server sets it with the binding, at its own time: copying that would be another write for each pod. */
function isScheduled({ status, type }: Condition): boolean {
  return type === 'PodScheduled' && status === 'True'
}

/** A pod is ready when its containers are ready and the conditions of its gates are true in the plane. */
function withGates(conditions: readonly Condition[], gates: readonly string[]): Condition[] {
  const isTrue = (type: string) =>
    conditions.some((one) => one.type === type && one['status'] === 'True')
  const missing = gates.filter((gate) => !isTrue(gate))
  return conditions.map((one) =>
    one.type === 'Ready' && one['status'] === 'True' && missing.length > 0
      ? {
          ...one,
          status: 'False',
          reason: 'ReadinessGatesNotReady',
          message: `the conditions ${missing.join(', ')} are not true`,
        }
      : one,
  )
}

/** Each side counts its own generations. */
function withGeneration(condition: Condition, generation: unknown): Condition {
  return condition['observedGeneration'] === undefined
    ? condition
    : { ...condition, observedGeneration: generation }
}

/** A pod's status with changed messages, since kubelet and scheduler of the host write names of the host in them. */
function withMessages(
  status: Record<string, unknown>,
  toMessage: (text: string) => string,
): Record<string, unknown> {
  const changed = (value: unknown, field?: string): unknown => {
    if (typeof value === 'string') {
      return field === 'message' ? toMessage(value) : value
    }
    if (Array.isArray(value)) {
      return value.map((one) => changed(one))
    }
    return isRecord(value) ? withMessages(value, toMessage) : value
  }
  return Object.fromEntries(
    Object.entries(status).map(([field, value]) => [field, changed(value, field)]),
  )
}
