import type { POD_PERMISSIONS } from '../../../control-plane/spec/fields/host-spec.ts'

/**
 * What a pod may have beyond what Pod Security `baseline` gives everybody; each one is a way out of its container.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export type PodPermission = (typeof POD_PERMISSIONS)[number]

export interface PodPolicy {
  allow: readonly PodPermission[]
  /** Drivers of the host that pods may use in volumes of type `csi`, which `baseline` says nothing about. */
  csiDrivers: readonly string[]
}

/** What Pod Security `baseline` allows. */
export const BASELINE: PodPolicy = { allow: [], csiDrivers: [] }

/** How the owner of a plane allows something, for the end of a refusal. */
export function howToAllow(permission: PodPermission): string {
  return `"sync.pods.allow: [${permission}]" in the plane's spec would allow it`
}
