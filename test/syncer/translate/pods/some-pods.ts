import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import {
  BASELINE,
  type PodContext,
  type PodPermission,
} from '../../../../src/syncer/translate/pod-draft/pod-context.ts'
import { type HostPod, toHostPod } from '../../../../src/syncer/translate/pods/to-host-pod.ts'
import { isRefusal } from '../../../../src/syncer/translate/refusal.ts'
import { isRecord } from '../../../../src/shared/json-fields.ts'
import { SCOPE, virtualObject } from '../some-objects.ts'

export const CONTEXT: PodContext = {
  scope: SCOPE,
  apiServer: { host: '10.96.0.9', port: 443 },
  dns: { address: '10.96.0.10' },
  clusterDomain: 'cluster.local',
  services: [],
  networkPolicies: [],
  namespaces: [
    { name: 'shop', labels: { team: 'a' } },
    { name: 'stock', labels: { team: 'a' } },
    { name: 'mail', labels: { team: 'b' } },
  ],
  cordonedNodes: [],
  policy: BASELINE,
  priorityClasses: new Map(),
  runtimeClasses: [],
}

/** A context whose policy gives some permissions. */
export function allowing(...allow: PodPermission[]): PodContext {
  return { ...CONTEXT, policy: { ...BASELINE, allow } }
}

/** A virtual pod with one container, and these fields of its spec. */
export function podWith(
  spec: Record<string, unknown> = {},
  metadata: Partial<KubeObject['metadata']> = {},
): KubeObject {
  const containers = [{ name: 'main', image: 'nginx' }]
  return virtualObject('Pod', { spec: { containers, ...spec } }, metadata)
}

/** A virtual pod whose container has these fields. */
export function podWithContainer(fields: Record<string, unknown>): KubeObject {
  return podWith({ containers: [{ name: 'main', image: 'nginx', ...fields }] })
}

/** The host pod of one that is allowed. */
export function translated(pod: KubeObject, context: PodContext = CONTEXT): HostPod {
  const result = toHostPod(pod, context)
  if (isRefusal(result)) {
    throw new Error(result.refusals.join('; '))
  }
  return result
}

/** The host pod's spec. */
export function hostSpec(pod: KubeObject, context?: PodContext): Record<string, unknown> {
  const { spec } = translated(pod, context).pod
  return isRecord(spec) ? spec : {}
}

/** The first container of a host pod. */
export function hostContainer(pod: KubeObject, context?: PodContext): Record<string, unknown> {
  const { containers } = hostSpec(pod, context)
  const first: unknown = Array.isArray(containers) ? containers[0] : undefined
  return isRecord(first) ? first : {}
}

/** Variables of the first container by their names, without those of the plane's API. */
export function hostEnv(pod: KubeObject, context?: PodContext): Record<string, unknown> {
  const { env } = hostContainer(pod, context)
  const variables = (Array.isArray(env) ? env : []).filter(isRecord)
  return Object.fromEntries(
    variables
      .filter(({ name }) => !String(name).startsWith('KUBERNETES_'))
      .map(({ name, value, valueFrom }) => [String(name), value ?? valueFrom]),
  )
}

/** Why a pod is refused; nothing when it is not. */
export function refusalsOf(pod: KubeObject, context: PodContext = CONTEXT): string[] {
  const result = toHostPod(pod, context)
  return isRefusal(result) ? result.refusals : []
}
