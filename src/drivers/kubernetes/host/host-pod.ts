import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** With the fields that show why it does not run. */
export interface Pod extends KubeObject {
  spec?: {
    containers?: Array<{
      name: string
      image?: string
      resources?: { limits?: Limits }
      livenessProbe?: ProbeTimes
      startupProbe?: ProbeTimes
    }>
    initContainers?: Array<{ name: string; image?: string }>
    volumes?: Array<{
      name: string
      secret?: { secretName?: string }
      configMap?: { name?: string }
      persistentVolumeClaim?: { claimName?: string }
    }>
    nodeName?: string
  }
  status?: {
    phase?: string
    startTime?: string
    reason?: string
    message?: string
    nominatedNodeName?: string
    conditions?: Condition[]
    initContainerStatuses?: ContainerStatus[]
    containerStatuses?: ContainerStatus[]
  }
}

type Limits = Record<string, string>

/** The kubelet kills a container when its probe has failed this often. */
export interface ProbeTimes {
  /** @default 3 */
  failureThreshold?: number
  /** @default 10 */
  periodSeconds?: number
}

export interface Condition {
  type: string
  status: string
  reason?: string
  message?: string
  lastTransitionTime?: string
}

export interface ContainerStatus {
  name: string
  ready?: boolean
  restartCount?: number
  state?: ContainerState
  lastState?: ContainerState
}

interface ContainerState {
  waiting?: { reason?: string; message?: string }
  running?: object
  terminated?: Terminated
}

export interface Terminated {
  exitCode?: number
  reason?: string
  message?: string
  startedAt?: string
  finishedAt?: string
}

export interface HostEvent extends KubeObject {
  type?: string
  reason?: string
  message?: string
  count?: number
  series?: { count?: number }
  involvedObject?: { kind?: string; name?: string; uid?: string }
}

export function isPod(object: KubeObject): object is Pod {
  return object.kind === 'Pod'
}

export function isEvent(object: KubeObject): object is HostEvent {
  return object.kind === 'Event'
}

/** Parses a time of the host, in milliseconds since the epoch; undefined when it is missing. */
export function toTimeMs(text = ''): number | undefined {
  return Date.parse(text) || undefined
}

/** Returns the condition of this type if its status is False. */
export function failedCondition({ status }: Pod, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type && one.status === 'False')
}

/** Returns the events about an object with one of the reasons; all of its events when no reason is given. */
export function eventsAbout(
  { metadata }: KubeObject,
  events: readonly HostEvent[],
  ...reasons: readonly string[]
): HostEvent[] {
  return events.filter(
    ({ involvedObject, reason = '' }) =>
      involvedObject?.uid === metadata.uid && (reasons.length === 0 || reasons.includes(reason)),
  )
}

/** Returns how often the events happened. */
export function timesReported(events: readonly HostEvent[]): number {
  return events.reduce((sum, { count, series }) => sum + (series?.count ?? count ?? 1), 0)
}
