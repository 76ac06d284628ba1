import type { PlaneMetrics } from '../../../src/control-plane/driver/plane-metrics.ts'
import type { FakeDriver } from './fake-driver.ts'

/** What a fake driver measures of its planes. */
export function fakeMetrics(driver: Pick<FakeDriver, 'inside'>): PlaneMetrics {
  return {
    etcd: (plane) => Promise.resolve(driver.inside(plane).etcdFigures()),
    ofComponent: (_, component) => Promise.resolve(`# metrics of ${component}\n`),
  }
}
