import type { KubeClient } from '../../kube/client/client.ts'
import type { GatewayStates } from '../../drivers/kubernetes/gateway/gateway-states.ts'
import type { Environment } from '../../shared/environment.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { KeeperEvent } from '../duties/duty.ts'
import type { Wakes } from '../wake/wakes.ts'
import type { KeptPlane } from './kept-planes.ts'
import type { WakeRequests } from '../wake/wake-requests.ts'

/** What the duties for one plane need in the pod of a namespace's keeper. */
export interface PodWorld {
  /** The host cluster, with the permissions of the keeper's Roles. */
  host: KubeClient
  namespace: string
  settings: KeptPlane
  /** Returns the Deployment of this name in the namespace, as it was seen last. */
  deployment: (name: string) => KubeObject | undefined
  /** Reads the certificates of the plane, and the keys that the keeper has, by file name. */
  files: (signal?: AbortSignal) => Promise<PodFiles>
  environment: Environment
  /** Of all planes of the namespace. */
  wakes: Wakes
  requests: Pick<WakeRequests, 'last' | 'next'>
  /** Of all planes of the namespace. */
  states: GatewayStates
  /** Creates an Event on the host. */
  report: (event: KeeperEvent) => void
  log: (line: string) => void
  now: () => Date
}

export type PodFiles = Readonly<Record<string, string>>

/** @throws {Error} when the Secret lacks a file, which only someone else can have caused. */
export function fileIn(files: PodFiles, name: string): string {
  const text = files[name]
  if (text === undefined) {
    throw new Error(`the keeper has no file "${name}"`)
  }
  return text
}
