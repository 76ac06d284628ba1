import type { PlaneEtcd } from '../../src/control-plane/stale-objects.ts'
import type { FakeDriver } from './fake-driver.ts'

/** What etcd of the planes of a `FakeDriver` holds. */
export function fakeEtcd(driver: Pick<FakeDriver, 'inside'>): PlaneEtcd {
  return {
    staleObjects: async (plane, lost) => {
      const isLost = ({ apiVersion }: { apiVersion: string }) =>
        lost.some((one) => one.apiVersion === apiVersion)
      return driver.inside(plane).staleObjects.filter((one) => one.isCustom || isLost(one))
    },
  }
}
