import type { Driver } from '../control-plane/driver/driver.ts'
import type { Finding } from '../control-plane/status/finding.ts'
import type { Plane } from '../control-plane/plane/plane.ts'
import { messageOf } from '../shared/errors.ts'
import { within } from '../shared/wait.ts'
import { isReadable, type UnreadablePlane } from '../control-plane/plane/unreadable-plane.ts'

const subject = 'network policies'

/** What the first syncer on the host that knows it found about NetworkPolicies, or that the host did not answer in time. */
export async function examinePolicies(
  driver: Pick<Driver, 'status'>,
  planes: ReadonlyArray<Plane | UnreadablePlane>,
  limitMs: number,
): Promise<Finding> {
  try {
    return await within(limitMs, () => firstReport(driver, planes))
  } catch (error) {
    return { subject, level: 'warning', message: `not checked: ${messageOf(error)}` }
  }
}

async function firstReport(
  driver: Pick<Driver, 'status'>,
  planes: ReadonlyArray<Plane | UnreadablePlane>,
): Promise<Finding> {
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
