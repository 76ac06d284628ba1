import { describeDriver } from '../support/contracts/driver-contract.ts'
import { FakeDriver } from '../support/driver/fake-driver.ts'

describeDriver('in memory', async () => {
  const driver = new FakeDriver()
  return {
    driver,
    openApi: driver.openApi,
    kill: (plane, component) => driver.kill(plane, component),
    damage: (plane) => driver.damage(plane),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
})
