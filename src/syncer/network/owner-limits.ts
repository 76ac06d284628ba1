import { EVERYBODY } from '../../manifests/network/network-rule.ts'
import { ownerEgress, ownerIngress } from '../../manifests/network/owner-rules.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { OwnerLimits } from '../translate/kinds/network-policy.ts'
import { exposedPorts } from './exposed-services.ts'

type Context = Pick<SyncContext, 'ingresses' | 'pods' | 'scope' | 'services' | 'surroundings'>

/**
 * What the owner of a plane allows the policies of a namespace; undefined without a limit. Of what its Services expose, every
 * pod of the namespace may be reached: its users could expose each of them.
 */
export function ownerLimits(
  { ingresses, pods, scope, services, surroundings }: Context,
  namespace: string,
): OwnerLimits | undefined {
  const { hostServices, plane, policies } = scope
  if (policies?.network === undefined) {
    return undefined
  }
  const owner = { plane, network: policies.network, hostServices }
  const ingress = () => {
    const known = {
      services: services.host.values(),
      ingresses: [...ingresses.host.values()],
      pods: pods.host.values(),
    }
    const ports = exposedPorts(known, namespace)
    return [...ownerIngress(owner), ...(ports.length === 0 ? [] : [{ peers: EVERYBODY, ports }])]
  }
  return {
    rulesFor: (direction) => (direction === 'egress' ? ownerEgress(owner) : ingress()),
    api: surroundings.apiServer.host,
  }
}
