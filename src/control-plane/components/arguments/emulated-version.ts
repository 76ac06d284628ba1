import type { AnyComponentName } from '../../plane/plane.ts'
import type { PlaneSpec } from '../../spec/spec.ts'

/** The components that emulate the previous version during an upgrade. */
export const EMULATING = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
] as const satisfies readonly AnyComponentName[]

/**
 * Makes a component emulate the previous version during an upgrade, so that a return to it is safe; empty without an
 * upgrade (kubernetes/enhancements, KEP-4330).
 */
export function emulatedVersion(spec: Pick<PlaneSpec, 'upgradingFrom'>): Record<string, string> {
  const [, minor] = /^(\d+\.\d+)\./.exec(spec.upgradingFrom ?? '') ?? []
  return minor === undefined ? {} : { 'emulated-version': `kube=${minor}` }
}
