import { expect, test, vi } from 'vitest'
import { localTools } from '../../../src/drivers/local/driver-parts.ts'
import { storedPlane } from '../../support/driver/some-planes.ts'
import { fakeMachine } from './fake-machine.ts'

test.for([
  ['a start', {}, 0],
  ['a restore', { forRestore: true }, 1],
] as const)('gets the programs of %s', async ([, said, etcdutls]) => {
  await using machine = fakeMachine()
  const { context, operation } = machine
  const [findBinaries, findEtcdutl] = [
    vi.spyOn(context, 'findBinaries'),
    vi.spyOn(context, 'findEtcdutl'),
  ]
  const plane = storedPlane('dev')

  await localTools(context).ensure({ ...plane, ...said }, operation)

  expect(findEtcdutl).toHaveBeenCalledTimes(etcdutls)
  expect(findBinaries).toHaveBeenCalledWith(plane, operation)
})
