import type { AnyComponentName } from '../../plane/plane.ts'
import type { PlaneSpec } from '../../spec/spec.ts'

/** The components that behave as the version before while a plane is upgraded. */
export const EMULATING = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
] as const satisfies readonly AnyComponentName[]

/**
 * The argument by which a component behaves as the version that its plane comes from, so that going back to that one is
 * safe; none when the plane is not being upgraded (kubernetes/enhancements, KEP-4330).
 */
export function emulatedVersion({
  upgradingFrom,
}: Pick<PlaneSpec, 'upgradingFrom'>): Record<string, string> {
  const [, minor] = /^(\d+\.\d+)\./.exec(upgradingFrom ?? '') ?? []
  return minor === undefined ? {} : { 'emulated-version': `kube=${minor}` }
}
