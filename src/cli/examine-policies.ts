import type { Driver } from '../control-plane/driver/driver.ts'
import type { Finding } from '../control-plane/status/finding.ts'
import type { Plane } from '../control-plane/plane/plane.ts'
import { isReadable, type UnreadablePlane } from '../control-plane/plane/unreadable-plane.ts'

/** What the first syncer on the host that knows it found about NetworkPolicies. */
export async function examinePolicies(
  driver: Pick<Driver, 'status'>,
  planes: ReadonlyArray<Plane | UnreadablePlane>,
): Promise<Finding> {
  const subject = 'network policies'
  for (const plane of planes) {
    if (isReadable(plane) && plane.desired === 'running' && plane.spec.host?.sync !== undefined) {
      const { networkPolicies } = await driver.status(plane, { events: true })
      if (networkPolicies === 'enforced') {
        return { subject, level: 'ok', message: `enforced, as plane "${plane.name}" found` }
      }
      if (networkPolicies === 'ignored') {
        const message = `not enforced, as plane "${plane.name}" found: pods of planes reach all that other pods of the host reach`
        const hint =
          'install a network plugin that enforces them: https://kubernetes.io/docs/concepts/services-networking/network-policies/#prerequisites'
        return { subject, level: 'warning', message, hint }
      }
    }
  }
  return { subject, level: 'ok', message: 'not known: no plane that runs pods has looked yet' }
}
