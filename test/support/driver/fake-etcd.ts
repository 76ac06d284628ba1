import type { EtcdOperations } from '../../../src/control-plane/driver/etcd-operations.ts'
import type { FakeDriver } from './fake-driver.ts'

/** What etcd of the planes of a `FakeDriver` holds, and what becomes of it. */
export function fakeEtcd(driver: Pick<FakeDriver, 'calls' | 'inside'>): EtcdOperations {
  return {
    staleObjects: async (plane, lost) => {
      const isLost = ({ apiVersion }: { apiVersion: string }) =>
        lost.some((one) => one.apiVersion === apiVersion)
      return driver.inside(plane).staleObjects.filter((one) => one.isCustom || isLost(one))
    },
    canReturnTo: async (plane, version) => {
      driver.calls.push(`canReturnTo ${version}`)
      return driver.inside(plane).isEtcdAsBefore
    },
    regainMajority: async ({ name }) => {
      driver.calls.push(`regainMajority ${name}`)
      return 'etcd-2'
    },
    settle: async ({ name }) => {
      driver.calls.push(`settle ${name}`)
    },
  }
}
