import { VplaneError } from '../../shared/errors.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import type { Policies } from './fields/policies-spec.ts'
import type { UserSpec } from './spec.ts'

/**
 * What users of a plane that runs pods may claim on the host: nothing beyond the plane's own objects, unless its owner names it.
 * Policies of a plane whose `sync` is switched off apply again later.
 * @throws {VplaneError} `INVALID_SPEC` for policies of a plane without `sync`.
 */
export function resolvePolicies(
  policies: UserSpec['policies'],
  { runsPods, isSwitchedOff }: { runsPods: boolean; isSwitchedOff: boolean },
): Policies | undefined {
  if (runsPods) {
    const { network, services } = policies ?? {}
    return omitUndefined({
      hostnames: policies?.hostnames ?? [],
      endpoints: policies?.endpoints ?? [],
      services: {
        types: services?.types ?? [],
        loadBalancerAddresses: services?.loadBalancerAddresses ?? [],
      },
      tolerations: policies?.tolerations ?? [],
      nodeSelector: policies?.nodeSelector,
      network: { egress: network?.egress ?? ['public'], ingress: network?.ingress ?? [] },
      volumes: policies?.volumes,
      podSecurity: policies?.podSecurity,
    })
  }
  if (policies !== undefined && !isSwitchedOff) {
    const message = '"policies" are about pods and their objects, and this plane runs no pods'
    throw new VplaneError('INVALID_SPEC', message, {
      hints: [{ set: 'sync.enabled=true' }, 'leave policies out'],
    })
  }
  return undefined
}
