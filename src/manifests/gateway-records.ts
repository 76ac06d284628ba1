import { isRecord, textAt } from '../shared/json-fields.ts'
import type { KubeObject } from '../shared/kube/kube-object.ts'
import { GATEWAY_NAME } from './object-names.ts'

/** A gateway by the name of its Deployment. */
export interface GatewayPlace {
  name: string
  namespace: string
}

/** Where a gateway passes a connection: to the plane, to nobody yet, or it does not listen. */
export type GatewayState = 'awake' | 'asleep' | 'closed'

/** A plane that any client wakes, as it is described to the gateway. */
export interface GatewayPlane {
  id: string
  /** The port of the gateway for this plane alone, which never changes. */
  port: number
  state: GatewayState
}

/** A client that waits for a sleeping plane. */
export interface WaitingClient {
  address: string
  /** The name of a server that it asked for. @default none */
  serverName?: string
}

/** The request of a gateway to wake a plane, sent again while clients wait. */
export interface WakeRequest {
  id: string
  /** Differs from that of every other request. */
  mark: string
  clients: readonly WaitingClient[]
}

/** The gateway of a namespace, which is for its planes. */
export function gatewayOf(namespace: string): GatewayPlace {
  return { name: GATEWAY_NAME, namespace }
}

/** The name of the ConfigMap with the planes of a gateway. */
export function planesName(gateway: string): string {
  return `${gateway}-planes`
}

/** The name of the ConfigMap with the planes that a gateway asks to wake. */
export function wakesName(gateway: string): string {
  return `${gateway}-wakes`
}

/** The key of a plane in the records of a gateway that is for several namespaces. */
export function planeKey({ name, namespace }: { name: string; namespace: string }): string {
  return `${namespace}.${name}`
}

/**
 * The plane with a key: `NAMESPACE.NAME` where a gateway is for several namespaces, or `NAME`. Neither has a dot.
 */
export function placeOfKey(
  key: string,
  { namespace: own }: Pick<GatewayPlace, 'namespace'>,
): { name: string; namespace: string } {
  const [name = '', namespace = own] = key.split('.').toReversed()
  return { name, namespace }
}

/** The planes of a gateway by their keys. Entries that someone else has damaged are left out. */
export function gatewayPlanesOf(configMap: KubeObject | undefined): Map<string, GatewayPlane> {
  return recordsOf(configMap, isGatewayPlane)
}

/** The requests of a gateway by the keys of planes, checked: the gateway reads what strangers send. */
export function wakeRequestsOf(configMap: KubeObject | undefined): Map<string, WakeRequest> {
  return recordsOf(configMap, isWakeRequest)
}

/** The patch that sets records of a ConfigMap, and removes those that are null. */
export function recordsPatch(
  records: Readonly<Record<string, GatewayPlane | WakeRequest | null>>,
): { data: Record<string, string | null> } {
  const texts = Object.entries(records).map(
    ([key, record]) => [key, record && JSON.stringify(record)] as const,
  )
  return { data: Object.fromEntries(texts) }
}

function recordsOf<T>(
  configMap: KubeObject | undefined,
  isOne: (value: unknown) => value is T,
): Map<string, T> {
  const data = configMap?.['data']
  const names = isRecord(data) ? Object.keys(data) : []
  return new Map(
    names.flatMap((name) => {
      const value = parsed(textAt(data, name) ?? '')
      return isOne(value) ? [[name, value] as const] : []
    }),
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const STATES: readonly unknown[] = ['awake', 'asleep', 'closed'] satisfies GatewayState[]

function isGatewayPlane(value: unknown): value is GatewayPlane {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    Number.isInteger(value['port']) &&
    STATES.includes(value['state'])
  )
}

function isWakeRequest(value: unknown): value is WakeRequest {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    typeof value['mark'] === 'string' &&
    Array.isArray(value['clients']) &&
    value['clients'].every(isWaitingClient)
  )
}

function isWaitingClient(value: unknown): value is WaitingClient {
  return (
    isRecord(value) &&
    typeof value['address'] === 'string' &&
    (value['serverName'] === undefined || typeof value['serverName'] === 'string')
  )
}
