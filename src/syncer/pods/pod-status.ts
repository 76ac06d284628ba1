import { isRecord, recordsAt, fieldAt, recordAt, type Json } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { namesOf, type Naming, toVirtualWords } from '../translate/virtual-words.ts'
import type { RefusedContainer } from './change-host-pod.ts'
import { readinessGatesOf } from '../translate/pod-fields.ts'

/** A pod on both sides, and the virtual names of what it uses on the host. */
interface PodPair extends Required<Pick<Naming, 'nameOf'>> {
  virtual: KubeObject
  host: KubeObject
  /** What the host pod does not have. @default nothing */
  refused?: readonly RefusedContainer[]
}

interface Condition extends Json {
  type: string
}

/** What says something about claims of the host's, which the plane does not have. */
const HOST_ONLY = ['resourceClaimStatuses', 'extendedResourceClaimStatus', 'nominatedNodeName']

/** Conditions that the host's kubelet takes away again; all others that only the virtual pod has are its own. */
const PASSING = ['PodResizeInProgress', 'PodResizePending']

/**
 * The status of a virtual pod: that of its host pod, in the words of the plane. Conditions that only the virtual pod has,
 * such as those of its readiness gates, are its own and stay.
 */
export function toVirtualStatus({
  host,
  nameOf,
  refused = [],
  virtual,
}: PodPair): Record<string, unknown> {
  const hostStatus = recordAt(host, 'status') ?? {}
  const { generation } = virtual.metadata
  const inWords = withMessages(hostStatus, (text) =>
    toVirtualWords(text, { host: namesOf(host), virtual: namesOf(virtual), nameOf }),
  )
  const status = Object.fromEntries(
    Object.entries(inWords).filter(([field]) => !HOST_ONLY.includes(field)),
  )
  const conditions = withGates(
    mergedConditions(conditionsOf(virtual['status']), conditionsOf(status)),
    readinessGatesOf(virtual),
  )
  const isCurrent = hostStatus['observedGeneration'] === host.metadata['generation']
  return {
    ...status,
    ...(refused.length === 0 ? {} : withRefused(status, refused)),
    ...(conditions.length === 0
      ? {}
      : { conditions: conditions.map((one) => observed(one, generation)) }),
    ...(hostStatus['observedGeneration'] === undefined
      ? {}
      : {
          observedGeneration: isCurrent
            ? generation
            : fieldAt(virtual, 'status', 'observedGeneration'),
        }),
  }
}

/** Containers that the host does not have wait for ever, and say why: `kubectl debug` prints it. */
function withRefused(
  status: Record<string, unknown>,
  refused: readonly RefusedContainer[],
): Record<string, unknown> {
  const waiting = refused.map(({ image, message, name, reason }) => ({
    name,
    image,
    imageID: '',
    lastState: {},
    ready: false,
    restartCount: 0,
    state: { waiting: { reason, message } },
  }))
  return {
    ephemeralContainerStatuses: [...recordsAt(status, 'ephemeralContainerStatuses'), ...waiting],
  }
}

function conditionsOf(status: unknown): Condition[] {
  return recordsAt(status, 'conditions').filter(
    (one): one is Condition => typeof one['type'] === 'string',
  )
}

function mergedConditions(own: readonly Condition[], host: readonly Condition[]): Condition[] {
  const types = new Set([...host.map(({ type }) => type), ...PASSING])
  return [...host, ...own.filter(({ type }) => !types.has(type))]
}

/** A pod is ready when its containers are and what else it waits for in the plane has happened. */
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

/** Generations are counted on each side: that of the host means nothing in the plane. */
function observed(condition: Condition, generation: unknown): Condition {
  return condition['observedGeneration'] === undefined
    ? condition
    : { ...condition, observedGeneration: generation }
}

/** A pod's status with other messages: the host's kubelet and scheduler name the pod and what it uses in theirs. */
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
